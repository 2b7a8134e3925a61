// Blocks go along a binomial tree up to the root.
#include "collectives/tree_blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::gather {

bool binomial(const Problem& problem, Schedule* schedule) {
  Problem binary = problem;
  binary.radix = 2;
  return gather_along_tree(binary, schedule);
}

}  // namespace leadline::collectives::gather
