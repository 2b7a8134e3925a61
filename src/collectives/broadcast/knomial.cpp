// Like binomial, to radix - 1 others at each distance.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool knomial(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  const Segments whole({Space::data, 0, problem.count}, 0, problem.element_bytes);
  PassDown(schedule, knomial_tree_links(problem.processes, problem.rank, problem.root, problem.radix), whole).all();
  return true;
}

}  // namespace leadline::collectives::broadcast
