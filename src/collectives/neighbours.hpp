// Exchanges with the neighbours of a process topology. Every block goes to its neighbour directly: those of a Cartesian
// communicator are one step away in one dimension each, so that there is nothing to combine on the way.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// All messages are under way together. False: the ranks have no neighbours known.
bool with_neighbours_at_once(const Problem& problem, Schedule* schedule);
// A message each way in each round, which is waited for: first down and then up in each dimension. False: the
// neighbours are not those of a Cartesian communicator.
bool with_neighbours_by_dimension(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
