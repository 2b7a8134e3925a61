// Node leaders whose nodes work through the memory that their ranks share (node/team.hpp), while the leaders exchange
// messages by another algorithm. Reductions need a commutative operation, because the ranks of a node need not be
// neighbours. False where ranks share no memory, or `over` cannot be used.
#pragma once

#include "collectives/node_groups.hpp"

namespace leadline::collectives {

bool shared_allreduce(const Problem& problem, Builder* over, Schedule* schedule);
// As many leaders on each node as the radix says, or as the smallest node has ranks: each is one for a part of the
// data, so that several are under way between nodes at once.
bool shared_allreduce_in_lanes(const Problem& problem, Builder* over, Schedule* schedule);
bool shared_reduce(const Problem& problem, Builder* over, Schedule* schedule);
bool shared_broadcast(const Problem& problem, Builder* over, Schedule* schedule);
bool shared_barrier(const Problem& problem, Builder* over, Schedule* schedule);
// `over` is an algorithm of MPI_Allgatherv, as nodes may have different numbers of ranks.
bool shared_allgather(const Problem& problem, Builder* over, Schedule* schedule);

}  // namespace leadline::collectives
