// Node leaders: reductions or signals within nodes, then another algorithm among one rank of each. Reductions need a
// commutative operation, because the ranks of a node need not be neighbours.
#pragma once

#include "collectives/node_groups.hpp"

namespace leadline::collectives {

bool two_level_reduce(const Problem& problem, Builder* over, Schedule* schedule);
bool two_level_allreduce(const Problem& problem, Builder* over, Schedule* schedule);
bool two_level_barrier(const Problem& problem, Builder* over, Schedule* schedule);

}  // namespace leadline::collectives
