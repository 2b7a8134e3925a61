// How the clock of a process compares with that of rank 0 of its MPI_COMM_WORLD. All processes of one kernel share a
// monotonic clock; processes on different hosts compare their clocks in MPI_Init and in MPI_Finalize
// (recorder/clocks/clock_exchange.hpp).
#pragma once

#include <cstdint>

namespace leadline::recording {

struct ClockComparison {
  uint64_t own_ns;
  int64_t offset_ns;  // rank 0's clock: add this to own_ns
  uint64_t error_ns;
};

struct LiveClock {
  uint64_t identity;   // identifies the kernel's clock; 0: unknown
  uint64_t ticks, ns;  // one moment, in the ticks of the calls' stamps and on the clock
  uint32_t compares;   // 1: with other hosts' clocks, if they take part
  uint32_t comparisons;
  ClockComparison comparison[2];
};

}  // namespace leadline::recording
