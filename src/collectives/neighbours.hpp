// Exchanges with the neighbours of a process topology. Every block goes to its neighbour directly: those of a Cartesian
// communicator are one step away in one dimension each, so that there is nothing to combine on the way.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// All messages are under way together. False: the ranks have no neighbours known.
bool with_neighbours_at_once(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
