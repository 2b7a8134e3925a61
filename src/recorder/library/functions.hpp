// Names of src/host that the recorder uses: the MPI library behind it, and the functions whose calls are recorded.
#pragma once

#include "host/real.hpp"

namespace leadline::recorder {

using namespace host;

// As real_functions, for the wrappers of calls that are recorded; null while recording is paused.
extern void* recorded_functions[function_count][4];
// Fills that table, or clears it.
void set_recorded(bool recorded);

}  // namespace leadline::recorder
