// The memory that the ranks of each node share in this launch.
#pragma once

#include "bench/job.hpp"
#include "collectives/execute.hpp"
#include "collectives/node/team.hpp"

namespace leadline::bench {

// Made when it is first asked for; collective then. nullptr: it cannot be had.
collectives::node::Team* team_of(const Job& job, const std::vector<int>& node_of);
// Lets the library go on while a rank waits.
void go_on(MPI_Comm comm);

}  // namespace leadline::bench
