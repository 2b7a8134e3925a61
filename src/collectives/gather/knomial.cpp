// Like binomial, with radix - 1 children at each distance.
#include "collectives/tree_blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::gather {

bool knomial(const Problem& problem, Schedule* schedule) { return gather_along_tree(problem, schedule); }

}  // namespace leadline::collectives::gather
