// One time for all processes of a run.
//
// Processes with the same clock (on one kernel) need no correction. The clocks of other hosts were compared with that
// of rank 0 of the process's MPI_COMM_WORLD in MPI_Init and MPI_Finalize: between the two their offset is assumed to
// change at a constant rate. Without a comparison the time falls back to wall-clock time, whose error is unknown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/process.hpp"

namespace leadline::analysis {

// The facts about a process that determine its time.
struct OwnTime {
  trace::ProcessClock clock;
  int32_t rank = -1;
  uint64_t world = 0;
  int64_t start_unix_ns = 0;
};
inline OwnTime own_time(const trace::Process& p) { return {p.clock, p.rank, p.world, p.start_unix_ns}; }

// Nanoseconds since a process's start, in the run's time: begin_ns + rate * t.
struct ProcessTime {
  double begin_ns = 0, rate = 1;
  double error_ns = 0;  // upper bound, against the first process's clock; negative: unknown
};

struct RunTime {
  std::vector<ProcessTime> processes;  // the earliest begin is 0
  std::string kind = "shared";         // "shared": one clock; "exchanged": compared; "system": some were not
  uint64_t clocks = 0;
  double error_ns = 0;      // the largest; negative: unknown
  bool drift_known = true;  // every compared clock was compared in MPI_Finalize too
};

RunTime run_time(const std::vector<OwnTime>& processes);

}  // namespace leadline::analysis
