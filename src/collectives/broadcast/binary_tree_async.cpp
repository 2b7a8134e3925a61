// Along a binary tree, segment by segment: the next is received while the last is sent to both children.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool binary_tree_async(const Problem& problem, Schedule* schedule) {
  const Segments segments({Space::data, 0, problem.count}, problem.segment_bytes, problem.element_bytes);
  PassDown(schedule, binary_tree_links(problem.processes, problem.rank, problem.root), segments).all();
  return true;
}

}  // namespace leadline::collectives::broadcast
