// The payload of a trace's last chunk: varint `how`; if the process ended within a call, varints thread, site + 1 (0:
// unknown), function, begin in ns. With end_killed there are any number of these, for threads with a known end, each
// followed by a varint: when the thread's last call ended, in ns (docs/reference/format.md).
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint64_t end_finalized = 1;  // MPI_Finalize returned
inline constexpr uint64_t end_killed = 2;     // the process did not write the trace: it is made from its live memory
inline constexpr uint64_t end_damaged = 4;    // parts of that memory could not be read
inline constexpr unsigned end_missing_shift = 3;        // blocks that were written before, and cannot be read
inline constexpr uint64_t end_in_no_call = UINT32_MAX;  // in place of a function

// The loss of a process that was killed.
inline constexpr char ended_early[] = "process-ended-early";
constexpr const char* said_of_killed(bool finalized) {
  return finalized ? "the process ended after MPI_Finalize without closing its trace (killed?)"
                   : "the process ended without closing its trace (killed?); everything recorded until then was used";
}

}  // namespace leadline::trace
