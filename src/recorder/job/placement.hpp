// Where this process runs and among how many: processors it may use, threads that use them, what its launcher says. It
// reads the system's files and calls no MPI function, and runs only inside MPI_Init and MPI_Finalize.
#pragma once

#include "recorder/memory/budgets.hpp"
#include "recording/live_placement.hpp"

namespace leadline::recorder {

// Before MPI_Init is passed on: libraries put what they find out themselves into the environment.
void place_begin(const Budgets& budgets, recording::LivePlacement* placement);
void place_in_init(recording::LivePlacement* placement);
void place_in_finalize(recording::LivePlacement* placement);

}  // namespace leadline::recorder
