#include "collectives/neighbours.hpp"

namespace leadline::collectives {

namespace {

Range sent_to(const Problem& problem, int target) {
  return {Space::input, problem.places_contributed[target], problem.counts_contributed[target]};
}

Range received_at(const Problem& problem, int source) {
  return {Space::data, problem.places_received[source], problem.counts_received[source]};
}

// What a rank has for itself goes nowhere: the first for itself is the first from itself.
void keep_for_itself(const Problem& problem, Schedule* schedule) {
  int source = 0;
  for (int target = 0; target < problem.neighbours.target_count; ++target) {
    if (problem.neighbours.targets[target] != problem.rank) continue;
    while (source < problem.neighbours.source_count && problem.neighbours.sources[source] != problem.rank) ++source;
    if (source == problem.neighbours.source_count) return;  // the program's mistake
    schedule->copy(sent_to(problem, target), received_at(problem, source++));
  }
}

bool is_another(const Problem& problem, int neighbour) { return neighbour >= 0 && neighbour != problem.rank; }

}  // namespace

bool with_neighbours_at_once(const Problem& problem, Schedule* schedule) {
  const Neighbours& of = problem.neighbours;
  if (!of.known) return false;
  const uint32_t first = schedule->requests;
  for (int i = 0; i < of.source_count; ++i)
    if (is_another(problem, of.sources[i])) schedule->receive(received_at(problem, i), of.sources[i]);
  for (int i = 0; i < of.target_count; ++i)
    if (is_another(problem, of.targets[i])) schedule->send(sent_to(problem, i), of.targets[i]);
  keep_for_itself(problem, schedule);
  schedule->wait_from(first);
  return true;
}

}  // namespace leadline::collectives
