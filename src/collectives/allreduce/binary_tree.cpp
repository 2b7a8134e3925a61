// Up a binary tree that keeps the order of ranks and down again: whole, or in segments that go up while others go down.
#include "collectives/pipelines.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

namespace {

void up_and_down(const Problem& problem, int64_t segment_bytes, Schedule* schedule) {
  const OrderedTreeLinks links = ordered_tree_links(problem.processes, problem.rank, (problem.processes - 1) / 2);
  const Segments data({Space::data, 0, problem.count}, segment_bytes, problem.element_bytes);
  TreeLinks down{links.parent, {}};
  for (const int child : {links.left, links.right})
    if (child >= 0) down.children.push_back(child);
  ReduceUp reduce(schedule, links, data, true);
  // A segment is back after `lag` more of them; waiting for it earlier would delay those. The 4th later one is received
  // only when it was sent (ReduceUp), so that it may be overwritten.
  const int64_t lag = std::max(4, 2 * links.depth + 1), later = links.parent < 0 ? 0 : lag;
  // And as the others take that long to receive it, the root doesn't wait for them to.
  PassDown pass(schedule, down, data, links.parent < 0 ? lag + 1 : 1);
  for (int64_t segment = 0; segment < data.number(); ++segment) {
    reduce.advance(segment);
    if (segment >= later) pass.advance(segment - later);
  }
  reduce.finish();
  for (int64_t segment = std::max<int64_t>(0, data.number() - later); segment < data.number(); ++segment)
    pass.advance(segment);
  pass.finish();
}

}  // namespace

bool binary_tree(const Problem& problem, Schedule* schedule) {
  up_and_down(problem, 0, schedule);
  return true;
}

bool binary_tree_async(const Problem& problem, Schedule* schedule) {
  up_and_down(problem, problem.segment_bytes, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
