// The blocks go round a ring, reduced on the way; each rank sends the one it ends up with to the root.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool ring(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  ring_reduce_scatter(problem, 0, own, schedule);
  gather_blocks(problem, own, schedule);
  return true;
}

}  // namespace leadline::collectives::reduce
