#include "collectives/prefixes.hpp"

#include <utility>
#include <vector>

#include "collectives/blocks.hpp"

namespace leadline::collectives {

namespace {

bool is_exclusive(const Problem& problem) { return facts_of(problem.operation).prefix == Prefix::exclusive; }

Range input_of(const Problem& problem) { return {Space::input, 0, problem.count}; }

// Reduces in scratch, with what comes from lower ranks: the input may lie in the memory of the result.
Range copy_of_input(const Problem& problem, Schedule* schedule) {
  const Range own = schedule->reserve(problem.count);
  schedule->copy(input_of(problem), own);
  return own;
}

// `to` becomes what comes from a lower rank, reduced with `to`.
void receive_lower(Range came, Range to, int peer, Schedule* schedule) {
  schedule->wait(schedule->receive(came, peer));
  schedule->reduce(came, to);
}

}  // namespace

void prefix_along_chain(const Problem& problem, Schedule* schedule) {
  const bool exclusive = is_exclusive(problem), is_first = problem.rank == 0,
             is_last = problem.rank + 1 == problem.processes;
  const Range whole = result(problem);
  if (!exclusive) schedule->copy(input_of(problem), whole);
  // With this rank's contribution: what goes to the next one, and with inclusive results is this one's, too.
  Range sum = whole;
  if (exclusive && is_first) sum = input_of(problem);
  if (exclusive && !is_first && !is_last) sum = copy_of_input(problem, schedule);
  const Segments data(whole, problem.segment_bytes, problem.element_bytes);
  const Segments sums(sum, problem.segment_bytes, problem.element_bytes);
  const Range slots[2] = {schedule->reserve(data.length()), schedule->reserve(data.length())};
  const auto came = [&](int64_t i) { return Range{Space::scratch, slots[i % 2].first, data[i].count}; };
  uint32_t arriving = no_request;
  std::vector<uint32_t> sends;
  if (!is_first && data.number()) arriving = schedule->receive(came(0), problem.rank - 1);
  for (int64_t i = 0; i < data.number(); ++i) {
    if (!is_first) {
      schedule->wait(arriving);
      if (i + 1 < data.number()) arriving = schedule->receive(came(i + 1), problem.rank - 1);
      if (!exclusive || !is_last) schedule->reduce(came(i), sums[i]);
      if (exclusive) schedule->copy(came(i), data[i]);
    }
    if (!is_last) sends.push_back(schedule->send(sums[i], problem.rank + 1));
  }
  for (const uint32_t request : sends) schedule->wait(request);
}

void prefix_by_recursive_doubling(const Problem& problem, Schedule* schedule) {
  const bool exclusive = is_exclusive(problem);
  Range group = copy_of_input(problem, schedule), came = schedule->reserve(problem.count);
  if (!exclusive) schedule->copy(input_of(problem), result(problem));
  bool has_result = !exclusive;
  for (int distance = 1; distance < problem.processes; distance *= 2) {
    const int peer = problem.rank ^ distance;
    if (peer >= problem.processes) continue;
    const uint32_t first = schedule->requests;
    schedule->receive(came, peer);
    schedule->send(group, peer);
    schedule->wait_from(first);
    if (peer > problem.rank) {
      schedule->reduce(group, came);
      std::swap(group, came);
      continue;
    }
    schedule->reduce(came, group);
    has_result ? schedule->reduce(came, result(problem)) : schedule->copy(came, result(problem));
    has_result = true;
  }
}

void prefix_by_doubling(const Problem& problem, Schedule* schedule) {
  const bool exclusive = is_exclusive(problem);
  const int p = problem.processes, rank = problem.rank;
  const Range came = schedule->reserve(problem.count);
  Range sum = result(problem);
  if (exclusive) {  // everybody's contribution moves up by one, and rank 0 has no part in the rest
    sum = schedule->reserve(problem.count);
    const uint32_t first = schedule->requests;
    if (rank > 0) schedule->receive(sum, rank - 1);
    if (rank + 1 < p) schedule->send(input_of(problem), rank + 1);
    schedule->wait_from(first);
    if (rank == 0) return;
  } else {
    schedule->copy(input_of(problem), sum);
  }
  const int lowest = exclusive ? 1 : 0;
  for (int distance = 1; distance < p - lowest; distance *= 2) {
    const uint32_t first = schedule->requests;
    if (rank - distance >= lowest) schedule->receive(came, rank - distance);
    if (rank + distance < p) schedule->send(sum, rank + distance);
    schedule->wait_from(first);
    if (rank - distance >= lowest) schedule->reduce(came, sum);
  }
  if (exclusive) schedule->copy(sum, result(problem));
}

void prefix_by_tree(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const Range came = schedule->reserve(problem.count), sum = result(problem);
  schedule->copy(input_of(problem), sum);
  int distance = 1;
  for (; distance < p; distance *= 2) {
    const int place = (rank + 1) % (2 * distance);
    if (place == 0) receive_lower(came, sum, rank - distance, schedule);
    if (place == distance && rank + distance < p) schedule->wait(schedule->send(sum, rank + distance));
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int place = (rank + 1) % (2 * distance);
    if (place == 0 && rank + distance < p) schedule->wait(schedule->send(sum, rank + distance));
    if (place == distance && rank >= distance) receive_lower(came, sum, rank - distance, schedule);
  }
}

}  // namespace leadline::collectives
