// Like ring, with the blocks in segments: one is reduced while the next is received.
#include "collectives/algorithms.hpp"
#include "collectives/reduce_scatter.hpp"

namespace leadline::collectives {

bool allreduce_segmented_ring(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  ring_reduce_scatter(problem, problem.segment_bytes, own, schedule);
  ring_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives
