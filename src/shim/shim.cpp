#include "shim/shim.hpp"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/immortal.hpp"
#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "host/visible_text.hpp"
#include "shim/communicator.hpp"

namespace leadline::shim {

using host::call_real;

thread_local constinit int32_t noted_error = 0;
std::atomic<bool> watching{false}, begun{false}, finalizing{false};

namespace {

constexpr const char* no_init = "the program did not call MPI_Init";
std::atomic<pid_t> without_init{0};  // the process that called a collective before MPI_Init, in a session

constexpr host::Immortal<Shim> storage_of_shim;

enum class Found : uint8_t { not_yet, yes, unknown };
std::atomic<Found> found{Found::not_yet};
pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

void note_error(void*, int32_t* code, ...) { noted_error = *code; }

// MPI_COMM_NULL_COPY_FN, which some libraries have as a function of their own.
int do_not_copy(Word, int32_t, void*, void*, void*, int32_t* flag) {
  *flag = 0;
  return 0;
}

}  // namespace

constinit Shim& shim = storage_of_shim.object;

void tell(const char* format, ...) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set()) return;
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  static char line[2200] = "leadline: ";  // said once; the program's stack may be small
  const size_t begin = strlen(line);
  const size_t end = begin + host::write_visibly(text, strlen(text), line + begin, sizeof(line) - begin - 1);
  line[end] = '\n';
  host::write_to_standard_error(line, end + 1);
}

bool Shim::find_library() {
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
      tell("collectives run natively: %s", known ? "the MPI library lacks functions that they need" : why);
    }
  }
  pthread_mutex_unlock(&finding);
  return found.load(std::memory_order_acquire) == Found::yes;
}

// The communicator is not MPI_COMM_SELF: what had its handler set once, even if it was set back, is no longer where
// MPICH looks for that of MPI_COMM_WORLD.
bool Shim::make_own_objects() {
  const int32_t color = 0, key = 0;
  if (call_real(Fn::Comm_create_errhandler, &note_error, &quiet_handler) != 0 ||
      call_real(Fn::Comm_create_keyval, &do_not_copy, &communicator_freed, &keyval, nullptr) != 0 ||
      call_real(Fn::Comm_split, abi.comm_self, color, key, &alone) != 0) {
    return false;
  }
  alone = Abi::handle(alone, abi.family->handle_bytes.comm);
  const uint64_t handler = Abi::handle(quiet_handler, abi.family->handle_bytes.errhandler);
  return call_real(Fn::Comm_set_errhandler, alone, handler) == 0;
}

// Uses the library's own reduction of the hash and its complement: any difference leaves a bit that both have lost. The
// error handler is left alone: one that was set, even to what it was, MPICH gives to communicators that are duplicated
// later, whose errors otherwise go to the handler that MPI_COMM_WORLD has by then.
bool Shim::agree() {
  constexpr int band = op_index("MPI_BAND");
  static_assert(band >= 0);
  const uint64_t own = problem[0] ? 0 : table.hash;
  const uint64_t mine[2] = {own, ~own};
  uint64_t all[2] = {};
  return call_real(Fn::Allreduce, mine, all, int32_t{sizeof(mine)}, abi.byte, abi.ops[band], abi.comm_world) == 0 &&
         memcmp(mine, all, sizeof(mine)) == 0;
}

void Shim::set_report_directory() {
  const char* directory = getenv("LEADLINE_SHIM_REPORT");
  if (directory && *directory) report_directory = strdup(directory);
}

void Shim::begin() {
  if (begun.exchange(true) || !find_library()) return;
  const char* path = getenv("LEADLINE_TABLE");
  set_report_directory();
  call_real(Fn::Comm_rank, abi.comm_world, &rank);
  call_real(Fn::Comm_size, abi.comm_world, &processes);
  read_table(path, &table);
  if (table.problem[0]) snprintf(problem, sizeof(problem), "%.200s: %s", path ? path : "no table", table.problem);
  const bool made = make_own_objects();
  if (!made) snprintf(problem, sizeof(problem), "the MPI library refuses an attribute or a communicator");
  const bool same = agree();
  if (!same && !problem[0]) snprintf(problem, sizeof(problem), "not all ranks could read the same table");
  if (problem[0]) {
    table.rules.clear();
    if (rank == 0) tell("collectives run natively: %s", problem);
  }
  begin_report();
  watching = made && (!table.rules.empty() || reports());
}

// The program's sessions may continue without it, and MPI_Init may still follow on all ranks, so nothing else is
// decided here.
void Shim::note_call_without_init() {
  pid_t nobody = 0;
  if (!without_init.compare_exchange_strong(nobody, getpid()) || !find_library()) return;
  if (host::launcher_rank() <= 0) tell("collectives run natively: %s", no_init);
}

void Shim::end() {
  if (finalizing.exchange(true)) return;
  watching = false;
  end_report();
}

// Without MPI_Init there is no MPI_Finalize either.
void Shim::end_of_process() {
  if (begun || without_init != getpid() || !find_library()) return;
  set_report_directory();
  const long long number = host::launcher_rank(), all = host::launcher_ranks();
  rank = number < 0 ? 0 : static_cast<int32_t>(number);
  processes = all < 0 ? 1 : static_cast<int32_t>(all);
  snprintf(problem, sizeof(problem), "%s", no_init);
  begin_report();
  end_report();
}

Quiet::Quiet(uint64_t comm) : comm_(comm) {
  const uint64_t handler = Abi::handle(shim.quiet_handler, abi.family->handle_bytes.errhandler);
  noted_error = 0;
  changed_ = handler && call_real(Fn::Comm_get_errhandler, comm_, &before_) == 0 &&
             call_real(Fn::Comm_set_errhandler, comm_, handler) == 0;
}

Quiet::~Quiet() {
  if (!changed_) return;
  call_real(Fn::Comm_set_errhandler, comm_, Abi::handle(before_, abi.family->handle_bytes.errhandler));
  call_real(Fn::Errhandler_free, &before_);
}

}  // namespace leadline::shim
