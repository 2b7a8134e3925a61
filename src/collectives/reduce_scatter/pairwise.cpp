// In round i a rank sends the block of the one i after it, and reduces what comes from the one i before it.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce_scatter {

bool pairwise(const Problem& problem, Schedule* schedule) {
  pairwise_reduce_scatter(problem, result(problem), schedule);
  return true;
}

}  // namespace leadline::collectives::reduce_scatter
