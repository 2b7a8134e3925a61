// Which world of a job a process belongs to, from the environment and from how it was started: MPI_Init does not say
// it. Its rank and the number of ranks: host/launcher_variables.hpp.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// Distinguishes one MPI_COMM_WORLD of a job from those it spawned (docs/reference/format.md): 0 for the first one, even
// for others. Odd if it is the same on one host only; 1 if it is only known that the world was spawned. Call it before
// MPI_Init, while the other processes of the world are there.
uint64_t world_from_launcher();

}  // namespace leadline::recorder
