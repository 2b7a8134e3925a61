// In each round the ranks form pairs that exchange their blocks; where their number is no power of two, each sends to
// the one i after it in round i.
#include "collectives/exchanges.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoallw {

bool pairwise(const Problem& problem, Schedule* schedule) {
  exchange_in_rounds(problem, Partners::pairs, schedule);
  return true;
}

}  // namespace leadline::collectives::alltoallw
