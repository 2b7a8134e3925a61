// The ranks of a node signal to their leader; the leaders disseminate, and tell their nodes.
#include "collectives/two_level.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::barrier {

bool two_level(const Problem& problem, Schedule* schedule) {
  return two_level_barrier(problem, dissemination, schedule);
}

}  // namespace leadline::collectives::barrier
