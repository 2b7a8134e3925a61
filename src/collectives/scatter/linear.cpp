// The root sends each rank its block, all at once, beginning with the rank after it.
#include "collectives/blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scatter {

bool linear(const Problem& problem, Schedule* schedule) {
  if (problem.rank != problem.root) {
    schedule->wait(schedule->receive(result(problem), problem.root));
    return true;
  }
  const int p = problem.processes;
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) {
    const int target = (problem.root + i) % p;
    schedule->send(contributed_to(problem, target), target);
  }
  schedule->copy(contributed_to(problem, problem.root), result(problem));
  schedule->wait_from(first);
  return true;
}

}  // namespace leadline::collectives::scatter
