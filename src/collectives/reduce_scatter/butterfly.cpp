// Like recursive_halving, at twice the distance each time, which keeps the order of ranks.
#include "collectives/halving.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce_scatter {

bool butterfly(const Problem& problem, Schedule* schedule) {
  halving_reduce_scatter(problem, HalvingOrder::of_ranks, result(problem), schedule);
  return true;
}

}  // namespace leadline::collectives::reduce_scatter
