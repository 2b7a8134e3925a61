// Messages to and from `radix` ranks are under way together, then those of the next ones.
#include "collectives/exchanges.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::alltoallw {

bool spread_out(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 1) return false;
  exchange_in_groups(problem, problem.radix, schedule);
  return true;
}

}  // namespace leadline::collectives::alltoallw
