// Like binomial, with radix - 1 children at each distance.
#include "collectives/tree_blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scatter {

bool knomial(const Problem& problem, Schedule* schedule) { return scatter_along_tree(problem, schedule); }

}  // namespace leadline::collectives::scatter
