// Each process that has the data passes it on to the one half as far away as the last.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool binomial(const Problem& problem, Schedule* schedule) {
  const Segments whole({Space::data, 0, problem.count}, 0, problem.element_bytes);
  PassDown(schedule, knomial_tree_links(problem.processes, problem.rank, problem.root, 2), whole).all();
  return true;
}

}  // namespace leadline::collectives::broadcast
