// Every rank gets one block directly from all others, reduces it, and sends it to all.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool direct(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  direct_reduce_scatter(problem, own, schedule);
  direct_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
