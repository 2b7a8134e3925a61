// Blocks are reduced with partners at the distances p/2, p/4, ... 1, rounded up, and go back the same way.
#include "collectives/circulant.hpp"
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool circulant(const Problem& problem, Schedule* schedule) {
  const Range own = own_block(problem, schedule);
  circulant_reduce_scatter(problem, own, schedule);
  circulant_allgather(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
