// The ranks of a node work through memory that they share; their leaders send messages, by one of several algorithms.
#include "collectives/shared_levels.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool two_level_within_shared(const Problem& problem, Schedule* schedule) {
  return shared_reduce(problem, binomial, schedule);
}

bool two_level_within_shared_over_binary_tree_async(const Problem& problem, Schedule* schedule) {
  return shared_reduce(problem, binary_tree_async, schedule);
}

}  // namespace leadline::collectives::reduce
