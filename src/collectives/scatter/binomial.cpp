// Blocks go along a binomial tree down from the root.
#include "collectives/tree_blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scatter {

bool binomial(const Problem& problem, Schedule* schedule) {
  Problem binary = problem;
  binary.radix = 2;
  return scatter_along_tree(binary, schedule);
}

}  // namespace leadline::collectives::scatter
