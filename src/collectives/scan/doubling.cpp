// Sums go to the ranks 1, 2, 4, ... farther up.
#include "collectives/prefixes.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scan {

bool doubling(const Problem& problem, Schedule* schedule) {
  prefix_by_doubling(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::scan
