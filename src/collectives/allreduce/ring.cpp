// The blocks go round a ring twice: reduced on the way, then handed to all.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool ring(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  ring_reduce_scatter(problem, 0, own, schedule);
  ring_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
