// The conditions under which this process runs: processors it may use, threads that use them, what its launcher says.
// It reads the system's files and calls no MPI function. It runs inside MPI_Init and MPI_Finalize, but for one small
// file that is read once a second, so that a killed process has it, too.
#pragma once

#include "recorder/memory/budgets.hpp"
#include "recording/live_conditions.hpp"

namespace leadline::recorder {

// Before MPI_Init is passed on: libraries put into the environment what they find out.
void conditions_at_start(const Budgets& budgets, recording::LiveConditions* conditions);
void conditions_in_init(recording::LiveConditions* conditions);
void conditions_meanwhile(recording::LiveConditions* conditions);
void conditions_in_finalize(recording::LiveConditions* conditions);

}  // namespace leadline::recorder
