// When the shim begins and ends: it finds the MPI library, reads the table after MPI_Init, and reports at the end.
#pragma once

namespace leadline::shim {

// Finds the MPI library. False: there is none (yet), or none that is known.
bool find_library();
// After MPI_Init: the table, and whether all ranks have the same.
void begin_after_init();
void end_before_finalize();
// A collective was called before MPI_Init.
void note_call_without_init();
// When the process ends: the report of one that had sessions only.
void end_with_process();

}  // namespace leadline::shim
