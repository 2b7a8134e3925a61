// A process's place in a job according to the launcher, from the environment and from how it was started. It is used
// before MPI_Init gives these facts reliably, and for facts that MPI_Init does not give.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// In MPI_COMM_WORLD; -1: not known.
int64_t rank_from_launcher();
int64_t size_from_launcher();

// Distinguishes one MPI_COMM_WORLD of a job from those it spawned (docs/reference/format.md): 0 for the first one, even
// for others. Odd if it is the same on one host only; 1 if it is only known that the world was spawned. Call it before
// MPI_Init, while the other processes of the world are there.
uint64_t world_from_launcher();

}  // namespace leadline::recorder
