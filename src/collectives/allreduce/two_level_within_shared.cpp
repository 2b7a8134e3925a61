// The ranks of a node work through memory that they share; their leaders send messages, by one of several algorithms.
#include "collectives/shared_levels.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool two_level_within_shared(const Problem& problem, Schedule* schedule) {
  return shared_allreduce(problem, recursive_doubling, schedule);
}

bool two_level_within_shared_over_segmented_ring(const Problem& problem, Schedule* schedule) {
  return shared_allreduce(problem, segmented_ring, schedule);
}

}  // namespace leadline::collectives::allreduce
