// In round i every rank sends to the one i after it and receives from the one i before it.
#include "collectives/exchanges.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoallv {

bool ring(const Problem& problem, Schedule* schedule) {
  exchange_in_rounds(problem, Partners::shifted, schedule);
  return true;
}

}  // namespace leadline::collectives::alltoallv
