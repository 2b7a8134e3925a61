// By way of node leaders, with each of several algorithms among them.
#include "collectives/two_level.hpp"

#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool two_level(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, recursive_doubling, schedule);
}

bool two_level_over_binary_tree_async(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, binary_tree_async, schedule);
}

bool two_level_over_rabenseifner(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, rabenseifner, schedule);
}

bool two_level_over_ring(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, ring, schedule);
}

bool two_level_over_segmented_ring(const Problem& problem, Schedule* schedule) {
  return two_level_allreduce(problem, segmented_ring, schedule);
}

}  // namespace leadline::collectives::allreduce
