// Schedules of one step: an operation of all ranks through memory that they share (node/team.hpp).
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// False: the ranks share no memory, or are on several nodes.
bool through_memory(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
