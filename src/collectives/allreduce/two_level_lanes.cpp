// The ranks of a node work through memory that they share; each of several leaders of a node is one for a part of the
// data.
#include "collectives/shared_levels.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool two_level_lanes(const Problem& problem, Schedule* schedule) {
  return shared_allreduce_in_lanes(problem, recursive_doubling, schedule);
}

}  // namespace leadline::collectives::allreduce
