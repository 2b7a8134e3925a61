// The conditions under which a process ran: its processors and who shares them, which shows whether its times can be
// trusted; what its launcher says; its budgets; where its live memory is (live.hpp).
#pragma once

#include <cstdint>

#include "trace/live_memory.hpp"

namespace leadline::recording {

struct LiveConditions {
  static constexpr uint32_t most_runs = 32;
  struct Run {
    uint32_t first, count;
  };
  uint32_t known;       // 1: the system was asked for the rest
  uint32_t processors;  // of the host, online
  uint32_t quota;       // thousandths of processors that the control group allows; 0: no limit, or not known
  uint32_t runs;        // number of runs of processors that the process may run on
  Run allowed[most_runs];
  uint32_t threads;        // the process's threads, counted before MPI_Finalize; 0: it was not reached
  uint32_t busy;           // threads that ran at least a tenth as long as the longest-running one
  uint64_t cpu_ns;         // processors' time from MPI_Init to MPI_Finalize, of all threads
  uint64_t waited_ns;      // time the thread of MPI_Init was ready to run and had no processor
  uint32_t waiting_known;  // 1: the system reports waited_ns
  int32_t launcher_ranks;  // ranks that the launcher says it started; 0: it does not say
  int32_t launcher_rank;   // this process's rank among them
  char launcher[32];       // the variable that says so
  uint64_t budget_files;   // bytes; LEADLINE_BUDGET or its default
  uint64_t budget_memory;  // bytes; 0: not limited
  uint32_t budgets_given;  // 1: for files, 2: for memory
  uint32_t live_kind;      // LiveMemoryKind
  uint32_t live_reason;    // LiveMemoryReason
  uint64_t file_system;    // statfs's number for the run's directory; 0: unknown
};

}  // namespace leadline::recording
