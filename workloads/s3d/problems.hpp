// How each problem begins, and how those with an exact solution go on.
#pragma once

#include <array>
#include <string>

#include "gas.hpp"

namespace s3d {

using Position = std::array<double, 3>;  // in the box of length 1

Properties properties_of(const std::string& problem);

// The state at a position and time; for the flame, which has no exact solution, time must be 0.
//   sound    a wave along the box's diagonal that steepens: the exact simple wave of gas without friction
//   mixing   fuel and oxidiser in waves that an even stream carries and diffusion levels out
Primitive state_at(const std::string& problem, const Position& position, double time);

}  // namespace s3d
