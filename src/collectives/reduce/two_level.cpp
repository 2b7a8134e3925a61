// By way of node leaders, with each of several algorithms among them.
#include "collectives/two_level.hpp"

#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool two_level(const Problem& problem, Schedule* schedule) { return two_level_reduce(problem, binomial, schedule); }

bool two_level_over_binary_tree_async(const Problem& problem, Schedule* schedule) {
  return two_level_reduce(problem, binary_tree_async, schedule);
}

}  // namespace leadline::collectives::reduce
