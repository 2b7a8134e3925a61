#include "collectives/reduce_scatter.hpp"

#include <vector>

#include "collectives/reduction.hpp"

namespace leadline::collectives {

namespace {

// Whether the result may lie, in place, where another rank's block of the input is: where all get one block only.
bool is_in_the_way(const Problem& problem) { return facts_of(problem.operation).contributed.block_per_rank; }

// Item t of the flow that comes to a rank is segment t % m of the block that comes in step t / m; the rank passes it on
// as item t + m of its neighbour's. Items wait for their turn in m + 2 slots.
class Ring {
 public:
  Ring(const Problem& problem, int64_t segment_bytes, Schedule* schedule)
      : problem_(problem),
        blocks_(blocks_of(problem, Space::input)),
        segment_bytes_(segment_bytes),
        schedule_(schedule),
        slot_(Segments({Space::scratch, 0, blocks_.longest()}, segment_bytes, problem.element_bytes).length()),
        per_block_(Segments({Space::scratch, 0, blocks_.longest()}, segment_bytes, problem.element_bytes).number()),
        items_(per_block_ * (problem.processes - 1)),
        slots_(schedule->reserve(slot_ * std::min(per_block_ + 2, items_))),
        sends_(static_cast<size_t>(items_), no_request) {}

  void run(Range result) {
    const int p = problem_.processes, next = (problem_.rank + 1) % p;
    for (int64_t item = 0; item < per_block_; ++item) send(item, segments_of((problem_.rank - 1 + p) % p)[item], next);
    uint32_t arriving = receive(0);
    for (int64_t item = 0; item < items_; ++item) {
      const uint32_t arrives = arriving;
      if (item) finish(item - 1);  // the next item's slot was sent by that
      if (item + 1 < items_) arriving = receive(item + 1);
      schedule_->wait(arrives);
      const Range part = input_of(item), sum = slot_of(item);
      schedule_->reduce(part, sum);
      if (item + per_block_ < items_) {
        send(item + per_block_, sum, next);
        continue;
      }
      if (item < per_block_ && is_in_the_way(problem_)) finish(item);  // of two ranks: it was sent from the input
      schedule_->copy(sum, {result.space, result.first + part.first - blocks_[problem_.rank].first, part.count});
    }
    if (items_) finish(items_ - 1);
  }

 private:
  Segments segments_of(int block) const { return {blocks_[block], segment_bytes_, problem_.element_bytes}; }
  Range input_of(int64_t item) const {
    const int64_t step = item / per_block_;
    const auto block = (problem_.rank - 2 - step + 2 * int64_t{problem_.processes}) % problem_.processes;
    return segments_of(static_cast<int>(block))[item % per_block_];
  }
  Range slot_of(int64_t item) const {
    return {Space::scratch, slots_.first + item % (per_block_ + 2) * slot_, input_of(item).count};
  }
  uint32_t receive(int64_t item) {
    const int p = problem_.processes;
    return items_ ? schedule_->receive(slot_of(item), (problem_.rank - 1 + p) % p) : no_request;
  }
  void finish(int64_t item) {
    uint32_t& sent = sends_[static_cast<size_t>(item)];
    schedule_->wait(sent);
    sent = no_request;
  }
  void send(int64_t item, Range from, int next) { sends_[static_cast<size_t>(item)] = schedule_->send(from, next); }

  const Problem& problem_;
  Blocks blocks_;
  int64_t segment_bytes_;
  Schedule* schedule_;
  int64_t slot_;       // elements
  int64_t per_block_;  // segments
  int64_t items_;
  Range slots_;
  std::vector<uint32_t> sends_;  // by item
};

}  // namespace

Range own_block(const Problem& problem, Schedule* schedule) {
  const Range block = blocks_of(problem, Space::data)[problem.rank];
  return has_result(problem) ? block : schedule->reserve(block.count);
}

void ring_reduce_scatter(const Problem& problem, int64_t segment_bytes, Range result, Schedule* schedule) {
  if (problem.processes > 1 && whole(problem).count)
    Ring(problem, segment_bytes, schedule).run(result);
  else
    schedule->copy(in_space(Space::input, whole(problem)), result);
}

void direct_reduce_scatter(const Problem& problem, Range result, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks input = blocks_of(problem, Space::input);
  const bool in_the_way = is_in_the_way(problem);
  const Blocks slots(schedule->reserve(result.count * p), p);
  const auto part = [&](int of) { return of == rank ? input[rank] : slots[of]; };
  std::vector<uint32_t> receives(static_cast<size_t>(p), no_request);
  for (int i = 1; i < p; ++i) {
    const int from = (rank - i + p) % p;
    receives[static_cast<size_t>(from)] = schedule->receive(part(from), from);
  }
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) schedule->send(input[(rank + i) % p], (rank + i) % p);
  Range sum = part(p - 1);
  schedule->wait(receives.back());
  const Range home = in_the_way ? slots[rank] : result;
  if (rank == p - 1) {
    schedule->copy(sum, home);
    sum = home;
  }
  for (int from = p - 2; from >= 0; --from) {
    schedule->wait(receives[static_cast<size_t>(from)]);
    schedule->reduce(part(from), sum);
  }
  if (in_the_way) schedule->wait_from(first);
  if (in_the_way || rank != p - 1) schedule->copy(sum, result);
  if (!in_the_way) schedule->wait_from(first);
}

void pairwise_reduce_scatter(const Problem& problem, Range result, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks input = blocks_of(problem, Space::input);
  const Range sum = schedule->reserve(result.count), came = schedule->reserve(result.count);
  schedule->copy(input[rank], sum);
  for (int i = 1; i < p; ++i) {
    const uint32_t first = schedule->requests;
    schedule->receive(came, (rank - i + p) % p);
    schedule->send(input[(rank + i) % p], (rank + i) % p);
    schedule->wait_from(first);
    schedule->reduce(came, sum);
  }
  schedule->copy(sum, result);
}

void ring_allgather(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks data = blocks_of(problem, Space::data);
  for (int step = 0; step + 1 < p; ++step) {
    const uint32_t first = schedule->requests;
    schedule->receive(data[(rank - step - 1 + p) % p], (rank - 1 + p) % p);
    schedule->send(data[(rank - step + p) % p], (rank + 1) % p);
    schedule->wait_from(first);
  }
}

void direct_allgather(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Blocks data = blocks_of(problem, Space::data);
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) schedule->receive(data[(rank - i + p) % p], (rank - i + p) % p);
  for (int i = 1; i < p; ++i) schedule->send(data[rank], (rank + i) % p);
  schedule->wait_from(first);
}

void gather_blocks(const Problem& problem, Range own, Schedule* schedule) {
  const Blocks data = blocks_of(problem, Space::data);
  const uint32_t first = schedule->requests;
  if (problem.rank != problem.root) {
    schedule->send(own, problem.root);
  } else {
    for (int i = 1; i < problem.processes; ++i) {
      const int from = (problem.rank + i) % problem.processes;
      schedule->receive(data[from], from);
    }
  }
  schedule->wait_from(first);
}

}  // namespace leadline::collectives
