#include "collectives/allgathers.hpp"

#include <bit>
#include <vector>

#include "collectives/blocks.hpp"

namespace leadline::collectives {

namespace {

void place_own(const Problem& problem, Schedule* schedule) {
  schedule->copy(contribution(problem), received_from(problem, problem.rank));
}

// Blocks of two neighbours, which are one message where all know that they lie side by side.
Range two_blocks(const Problem& problem, int first) {
  return {Space::data, received_from(problem, first).first, 2 * problem.count};
}

}  // namespace

void allgather_at_once(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) schedule->receive(received_from(problem, (rank + p - i) % p), (rank + p - i) % p);
  for (int i = 1; i < p; ++i) schedule->send(contribution(problem), (rank + i) % p);
  place_own(problem, schedule);
  schedule->wait_from(first);
}

void allgather_in_ring(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  place_own(problem, schedule);
  for (int i = 1; i < p; ++i) {
    const uint32_t first = schedule->requests;
    schedule->receive(received_from(problem, (rank + p - i) % p), (rank + p - 1) % p);
    schedule->send(received_from(problem, (rank + p - i + 1) % p), (rank + 1) % p);
    schedule->wait_from(first);
  }
}

void allgather_by_neighbours(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  if (p % 2) return allgather_in_ring(problem, schedule);
  place_own(problem, schedule);
  const int direction = rank % 2 ? -1 : 1;  // to the partner of even rounds
  const auto at = [&](int places) { return (rank + places * direction + p) % p; };
  const auto pair_of = [](int of) { return of - of % 2; };
  uint32_t first = schedule->requests;
  schedule->receive(received_from(problem, at(1)), at(1));
  schedule->send(received_from(problem, rank), at(1));
  schedule->wait_from(first);
  // Pairs of blocks are known by their even rank. What came last goes on to the other side.
  int last = pair_of(rank), from_partner[2] = {last, last};
  for (int round = 1; round < p / 2; ++round) {
    const int side = round % 2, partner = at(side ? -1 : 1);
    from_partner[side] = (from_partner[side] + (side ? -2 : 2) * direction + p) % p;
    first = schedule->requests;
    if (facts_of(problem.operation).has_counts_by_rank()) {
      for (const int i : {0, 1}) schedule->receive(received_from(problem, from_partner[side] + i), partner);
      for (const int i : {0, 1}) schedule->send(received_from(problem, last + i), partner);
    } else {
      schedule->receive(two_blocks(problem, from_partner[side]), partner);
      schedule->send(two_blocks(problem, last), partner);
    }
    schedule->wait_from(first);
    last = from_partner[side];
  }
}

void allgather_by_bruck(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  std::vector<int64_t> begins{0};  // of the run's blocks, by their distance from this rank
  for (int i = 0; i < p; ++i) begins.push_back(begins.back() + received_from(problem, (rank + i) % p).count);
  const Range all = schedule->reserve(begins.back());
  const auto run = [&](int64_t first, int64_t end) {
    const int64_t begin = begins[static_cast<size_t>(first)];
    return Range{all.space, all.first + begin, begins[static_cast<size_t>(end)] - begin};
  };
  schedule->copy(contribution(problem), run(0, 1));
  for (int64_t have = 1; have < p; have *= problem.radix) {
    const uint32_t first = schedule->requests;
    for (int64_t away = have; away < p && away < have * problem.radix; away += have) {
      const int64_t blocks = std::min(have, p - away);
      schedule->receive(run(away, away + blocks), static_cast<int>((rank + away) % p));
      schedule->send(run(0, blocks), static_cast<int>((rank + p - away) % p));
    }
    schedule->wait_from(first);
  }
  for (int i = 0; i < p; ++i) schedule->copy(run(i, i + 1), received_from(problem, (rank + i) % p));
}

void allgather_by_sparbit(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  place_own(problem, schedule);
  const auto before = [&](int64_t places) { return static_cast<int>(((rank - places) % p + p) % p); };
  const int zeros = std::countr_zero(static_cast<unsigned>(p));
  // Distances at which one block less is sent, because the receiver has it.
  const uint32_t one_less = (~(static_cast<uint32_t>(p) >> zeros) | 1u) << zeros;
  int64_t have = 1;
  for (auto distance = static_cast<int64_t>(std::bit_ceil(static_cast<unsigned>(p)) / 2); distance; distance /= 2) {
    const auto as_bit = static_cast<uint32_t>(distance);
    const int64_t blocks = have - ((as_bit & one_less) == as_bit);
    const uint32_t first = schedule->requests;
    for (int64_t i = 0; i < blocks; ++i)
      schedule->receive(received_from(problem, before((2 * i + 1) * distance)), before(distance));
    for (int64_t i = 0; i < blocks; ++i)
      schedule->send(received_from(problem, before(2 * i * distance)), before(-distance));
    schedule->wait_from(first);
    have += blocks;
  }
}

}  // namespace leadline::collectives
