// Halves are exchanged and reduced at half the distance each time.
#include "collectives/halving.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce_scatter {

bool recursive_halving(const Problem& problem, Schedule* schedule) {
  halving_reduce_scatter(problem, HalvingOrder::of_blocks, result(problem), schedule);
  return true;
}

}  // namespace leadline::collectives::reduce_scatter
