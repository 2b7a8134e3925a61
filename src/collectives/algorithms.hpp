// The builders of the algorithms, one in each file; algorithm.cpp lists them.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

bool broadcast_binomial(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
