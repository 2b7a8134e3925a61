// Each process passes the data on to the next, segment by segment.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool chain(const Problem& problem, Schedule* schedule) {
  const Segments segments({Space::data, 0, problem.count}, problem.segment_bytes, problem.element_bytes);
  PassDown(schedule, chain_tree_links(problem.processes, problem.rank, problem.root), segments).all();
  return true;
}

}  // namespace leadline::collectives::broadcast
