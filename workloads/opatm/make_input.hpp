// Writes an input for the model: forcing.nc and initial.nc, described in docs/reference/workloads/opatm.md.
#pragma once

#include "settings.hpp"

namespace opatm {

// By the root alone, into the folder settings.make_input, which is made if it is missing. Collective over
// MPI_COMM_WORLD; throws kit::UsageError on all ranks if it cannot be written or is there already.
void make_input(const Settings& settings, int rank);

}  // namespace opatm
