// Every rank sends all its blocks at once, each to its rank, beginning with that after it: no two ranks begin with the
// same receiver.
#include "collectives/exchanges.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoallw {

bool linear(const Problem& problem, Schedule* schedule) {
  exchange_at_once(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::alltoallw
