// Every rank gets one block directly from all others, reduces it, and sends it to all.
#include "collectives/algorithms.hpp"
#include "collectives/reduce_scatter.hpp"

namespace leadline::collectives {

bool allreduce_direct(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  direct_reduce_scatter(problem, own, schedule);
  direct_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives
