// Like ring, with the blocks in segments: one is reduced while the next is received.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool segmented_ring(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  ring_reduce_scatter(problem, problem.segment_bytes, own, schedule);
  ring_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
