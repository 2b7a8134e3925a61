// Every rank sends each block to the rank of the same number, which reduces what it got in the order of ranks.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce_scatter {

bool direct(const Problem& problem, Schedule* schedule) {
  direct_reduce_scatter(problem, result(problem), schedule);
  return true;
}

}  // namespace leadline::collectives::reduce_scatter
