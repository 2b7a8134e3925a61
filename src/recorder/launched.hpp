// What the launcher tells a process of its place in a job, in the environment: before MPI_Init has told it for certain.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// In MPI_COMM_WORLD; -1: it does not say.
int64_t launched_rank();
int64_t launched_size();

}  // namespace leadline::recorder
