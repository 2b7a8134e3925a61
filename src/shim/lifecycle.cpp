#include "shim/lifecycle.hpp"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/launcher_variables.hpp"
#include "shim/communicator.hpp"
#include "shim/devices.hpp"
#include "shim/report.hpp"
#include "shim/state.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

constexpr const char* no_init = "the program did not call MPI_Init";
std::atomic<pid_t> without_init{0};  // the process that called a collective before MPI_Init, in a session

enum class Found : uint8_t { not_yet, yes, unknown };
std::atomic<Found> found{Found::not_yet};
pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

void note_error(void*, int32_t* code, ...) { noted_error = *code; }

// MPI_COMM_NULL_COPY_FN, which some libraries have as a function of their own.
int do_not_copy(Word, int32_t, void*, void*, void*, int32_t* flag) {
  *flag = 0;
  return 0;
}

// The communicator is not MPI_COMM_SELF: what had its handler set once, even if it was set back, is no longer where
// MPICH looks for that of MPI_COMM_WORLD.
bool make_own_objects() {
  const int32_t color = 0, key = 0;
  if (call_real(Fn::Comm_create_errhandler, &note_error, &shim.quiet_handler) != 0 ||
      call_real(Fn::Comm_create_keyval, &do_not_copy, &communicator_freed, &shim.keyval, nullptr) != 0 ||
      call_real(Fn::Comm_split, abi.comm_self, color, key, &shim.alone) != 0) {
    return false;
  }
  shim.alone = Abi::handle(shim.alone, abi.family->handle_bytes.comm);
  const uint64_t handler = Abi::handle(shim.quiet_handler, abi.family->handle_bytes.errhandler);
  return call_real(Fn::Comm_set_errhandler, shim.alone, handler) == 0;
}

// Uses the library's own reduction of the hash and its complement: any difference clears a bit in both. The error
// handler is left alone: one that was set, even to what it was, MPICH gives to communicators that are duplicated later,
// whose errors otherwise go to the handler that MPI_COMM_WORLD has by then.
// Whether some rank may have devices is asked in the same way.
bool all_have_the_same_table() {
  constexpr int band = op_index("MPI_BAND");
  static_assert(band >= 0);
  const uint64_t own = shim.problem[0] ? 0 : shim.table.hash;
  const uint64_t mine[3] = {own, ~own, may_have_devices() ? uint64_t{0} : ~uint64_t{0}};
  uint64_t all[3] = {};
  if (call_real(Fn::Allreduce, mine, all, int32_t{sizeof(mine)}, abi.byte, abi.ops[band], abi.comm_world) != 0)
    return false;
  shim.devices = all[2] == 0;
  return mine[0] == all[0] && mine[1] == all[1];
}

void set_report_directory() {
  const char* directory = getenv("LEADLINE_SHIM_REPORT");
  if (directory && *directory) shim.report_directory = strdup(directory);
}

}  // namespace

bool find_library() {
  if (found.load(std::memory_order_acquire) == Found::yes) return true;
  pthread_mutex_lock(&finding);
  if (found == Found::not_yet) {
    const char* why = nullptr;
    const bool known = host::find_real_functions(&why);
    const bool complete = known && host::has_real(Fn::Comm_split) && host::has_real(Fn::Reduce_local) &&
                          host::has_real(Fn::Comm_create_keyval) && host::has_real(Fn::Comm_create_errhandler);
    if (complete) {
      found.store(Found::yes, std::memory_order_release);
    } else if (host::mpi_library_path()) {
      found = Found::unknown;
      tell("collectives use the library default: %s",
           known ? "the MPI library lacks functions that the shim needs" : why);
    }
  }
  pthread_mutex_unlock(&finding);
  return found.load(std::memory_order_acquire) == Found::yes;
}

void begin_after_init() {
  if (begun.exchange(true) || !find_library()) return;
  const char* path = getenv("LEADLINE_TABLE");
  set_report_directory();
  call_real(Fn::Comm_rank, abi.comm_world, &shim.rank);
  call_real(Fn::Comm_size, abi.comm_world, &shim.processes);
  read_table(path, &shim.table);
  if (shim.table.problem[0])
    snprintf(shim.problem, sizeof(shim.problem), "%.200s: %s", path ? path : "no table", shim.table.problem);
  const bool made = make_own_objects();
  if (!made)
    snprintf(shim.problem, sizeof(shim.problem), "the MPI library cannot create an attribute or a communicator");
  const bool same = all_have_the_same_table();
  if (!same && !shim.problem[0])
    snprintf(shim.problem, sizeof(shim.problem), "the table differs between ranks, or some rank cannot read it");
  if (shim.problem[0]) {
    shim.table.rules.clear();
    if (shim.rank == 0) tell("collectives use the library default: %s", shim.problem);
  }
  begin_report();
  watching = made && (!shim.table.rules.empty() || shim.reports());
}

// The program's sessions continue without the shim, and MPI_Init may still follow on all ranks, so nothing else is
// decided here.
void note_call_without_init() {
  pid_t nobody = 0;
  if (!without_init.compare_exchange_strong(nobody, getpid()) || !find_library()) return;
  if (host::launcher_rank() <= 0) tell("collectives use the library default: %s", no_init);
}

void end_before_finalize() {
  if (finalizing.exchange(true)) return;
  watching = false;
  end_report();
}

// Without MPI_Init there is no MPI_Finalize either.
void end_with_process() {
  if (begun || without_init != getpid() || !find_library()) return;
  set_report_directory();
  const long long number = host::launcher_rank(), all = host::launcher_ranks();
  shim.rank = number < 0 ? 0 : static_cast<int32_t>(number);
  shim.processes = all < 0 ? 1 : static_cast<int32_t>(all);
  snprintf(shim.problem, sizeof(shim.problem), "%s", no_init);
  begin_report();
  end_report();
}

}  // namespace leadline::shim
