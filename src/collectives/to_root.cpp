#include "collectives/to_root.hpp"

#include "collectives/blocks.hpp"

namespace leadline::collectives {

void gather_at_once(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, root = problem.root;
  if (problem.rank != root) return schedule->wait(schedule->send(contribution(problem), root));
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) {
    const int source = (root + i) % p;
    schedule->receive(received_from(problem, source), source);
  }
  schedule->copy(contribution(problem), received_from(problem, root));
  schedule->wait_from(first);
}

void scatter_at_once(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes, root = problem.root;
  if (problem.rank != root) return schedule->wait(schedule->receive(result(problem), root));
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) {
    const int target = (root + i) % p;
    schedule->send(contributed_to(problem, target), target);
  }
  schedule->copy(contributed_to(problem, root), result(problem));
  schedule->wait_from(first);
}

}  // namespace leadline::collectives
