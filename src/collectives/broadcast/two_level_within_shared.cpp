// The ranks of a node work through memory that they share; their leaders send messages, by one of several algorithms.
#include "collectives/shared_levels.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool two_level_within_shared(const Problem& problem, Schedule* schedule) {
  return shared_broadcast(problem, knomial, schedule);
}

bool two_level_within_shared_over_scatter_direct(const Problem& problem, Schedule* schedule) {
  return shared_broadcast(problem, scatter_direct, schedule);
}

}  // namespace leadline::collectives::broadcast
