// Ranks whose numbers differ in one bit exchange the sums of their groups.
#include "collectives/prefixes.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::exscan {

bool recursive_doubling(const Problem& problem, Schedule* schedule) {
  prefix_by_recursive_doubling(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::exscan
