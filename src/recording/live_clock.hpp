// How the clock of a process goes beside that of rank 0 of its MPI_COMM_WORLD. All processes of one kernel have one
// monotonic clock; those of different hosts compare theirs in MPI_Init and in MPI_Finalize
// (recorder/clock_exchange.hpp).
#pragma once

#include <cstdint>

namespace leadline::trace {

struct ClockComparison {
  uint64_t own_ns;
  int64_t offset_ns;  // of rank 0's clock: to be added to own_ns
  uint64_t error_ns;
};

struct LiveClock {
  uint64_t identity;   // of the kernel's clock; 0: not known
  uint64_t ticks, ns;  // the same moment as the calls' stamps and as the clock tell it
  uint32_t compares;   // 1: with other hosts' clocks, if they take part
  uint32_t comparisons;
  ClockComparison comparison[2];
};

}  // namespace leadline::trace
