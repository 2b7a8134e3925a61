// Up a binary tree whose subtrees are runs of ranks, so that their order is kept: whole, or in segments sent while the
// next are received and reduced.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

namespace {

void up(const Problem& problem, int64_t segment_bytes, Schedule* schedule) {
  const Segments data({Space::data, 0, problem.count}, segment_bytes, problem.element_bytes);
  ReduceUp(schedule, ordered_tree_links(problem.processes, problem.rank, problem.root), data, false).all();
}

}  // namespace

bool binary_tree(const Problem& problem, Schedule* schedule) {
  up(problem, 0, schedule);
  return true;
}

bool binary_tree_async(const Problem& problem, Schedule* schedule) {
  up(problem, problem.segment_bytes, schedule);
  return true;
}

}  // namespace leadline::collectives::reduce
