// --hints auto: the hints for files that all ranks read or write together, found by trying.
#pragma once

#include <string>

#include "settings.hpp"

namespace opatm {

// Sets settings.hints, and returns what was chosen and what that cost, for the run's summary. The field that is tried
// with has the run's grid and blocks, with fewer levels where it would be large. Collective over MPI_COMM_WORLD; throws
// kit::UsageError on all ranks.
std::string choose_hints(Settings& settings, int rank, int ranks);

}  // namespace opatm
