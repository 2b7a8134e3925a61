#include "collectives/circulant.hpp"

#include <vector>

namespace leadline::collectives {

namespace {

// p, p/2, p/4, ... 1, rounded up.
std::vector<int> halvings(int processes) {
  std::vector<int> found{processes};
  while (found.back() > 1) found.push_back((found.back() + 1) / 2);
  return found;
}

// Blocks from number `first` on, and past the last from 0 on: one range, or two.
struct Around {
  Range ranges[2];

  Around(const Blocks& blocks, int first, int count) {
    const int end = std::min(first + count, blocks.parts());
    ranges[0] = blocks.between(first, end);
    ranges[1] = blocks.between(0, first + count - end);
  }
  bool is_one() const { return ranges[0].count == 0 || ranges[1].count == 0; }
  Range one() const { return ranges[0].count ? ranges[0] : ranges[1]; }
};

void copy_around(const Around& from, Range to, Schedule* schedule) {
  for (const Range& range : from.ranges) {
    schedule->copy(range, {to.space, to.first, range.count});
    to.first += range.count;
  }
}

void reduce_around(const Around& from, Range to, Schedule* schedule) {
  for (const Range& range : from.ranges) {
    schedule->reduce(range, {to.space, to.first, range.count});
    to.first += range.count;
  }
}

}  // namespace

// Block i of `sums` is that of the rank i after this one. In the first round it is this rank's contribution alone: what
// is sent goes from there if it lies in one piece, and what comes is reduced with it where it comes to.
void circulant_reduce_scatter(const Problem& problem, Range result, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks input = blocks_of(problem, Space::input);
  std::vector<int64_t> counts;
  for (int i = 0; i < p; ++i) counts.push_back(input[(rank + i) % p].count);
  const Blocks sums(schedule->reserve(whole(problem).count), counts.data(), p);
  const Range room = schedule->reserve(sums.between(0, p / 2).count);
  const std::vector<int> distances = halvings(p);
  for (size_t round = 1; round < distances.size(); ++round) {
    const int before = distances[round - 1], after = distances[round];
    const Range sum = sums.between(0, before - after);
    const Range came = round == 1 ? sum : Range{room.space, room.first, sum.count};
    const Around own(input, (rank + after) % p, before - after);
    const bool straight = round == 1 && own.is_one();
    const uint32_t first = schedule->requests;
    if (round == 1 && !straight) copy_around(own, sums.between(after, before), schedule);
    schedule->receive(came, (rank - after + p) % p);
    schedule->send(straight ? own.one() : sums.between(after, before), (rank + after) % p);
    schedule->wait_from(first);
    if (round > 1) {
      schedule->reduce(came, sum);
      continue;
    }
    reduce_around(Around(input, rank, before - after), sum, schedule);
    copy_around(Around(input, (rank + before - after) % p, 2 * after - before), sums.between(before - after, after),
                schedule);
  }
  schedule->copy(p > 1 ? sums[0] : input[rank], result);
}

void circulant_allgather(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks data = blocks_of(problem, Space::data);
  const std::vector<int> distances = halvings(p);
  for (size_t round = distances.size(); round-- > 1;) {
    const int before = distances[round - 1], after = distances[round];
    const uint32_t first = schedule->requests;
    for (const Range& range : Around(data, (rank + after) % p, before - after).ranges)
      schedule->receive(range, (rank + after) % p);
    for (const Range& range : Around(data, rank, before - after).ranges) schedule->send(range, (rank - after + p) % p);
    schedule->wait_from(first);
  }
}

}  // namespace leadline::collectives
