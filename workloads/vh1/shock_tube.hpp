// Sod's shock tube: a membrane at the middle of a tube of length 1 bursts at t = 0.
#pragma once

#include "riemann.hpp"

namespace vh1 {

constexpr double tube_end_time = 0.2;  // then the shock is still 0.15 from the end of the tube

// The exact state at this place (0 to 1) and time.
Side sod_at(double place, double time);

}  // namespace vh1
