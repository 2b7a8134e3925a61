#include "recorder/clocks/clock_exchange.hpp"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/launcher_variables.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/library/functions.hpp"
#include "recorder/memory/inside.hpp"

namespace leadline::recorder {

namespace {

constexpr int32_t round_trips = 24, tag = 1;
constexpr uint64_t second_ns = 1000000000;
constexpr uint64_t init_limit_ns = 5 * second_ns;       // MPI_Init has just brought all ranks together
constexpr uint64_t finalize_limit_ns = 10 * second_ns;  // but at most a second and a twentieth of the program's time
constexpr uint64_t largest_drift = 5000;                // one part in 5000: 200 ppm between two hosts
constexpr uint64_t patience_ns = 50000000;              // then pauses between the tests

// The number of ranks that the launcher says it started on this host; 0: unknown.
int32_t ranks_of_host() {
  const char* text = host::from_launchers(&host::LauncherVariables::local_size);
  return text ? atoi(text) : 0;
}

bool several_hosts(int32_t size) {
  if (const int32_t here = ranks_of_host()) return here < size;
  if (const char* nodes = host::from_launchers(&host::LauncherVariables::nodes)) return atoi(nodes) > 1;
  for (const host::BatchVariables& batch : host::batch_systems) {
    if (const char* nodes = host::variable(batch.node_count)) return atoi(nodes) > 1;
  }
  return false;
}

bool wanted(int32_t size) {
  const char* text = getenv("LEADLINE_CLOCKS");
  if (!text || size < 2) return false;
  return strcmp(text, "exchange") == 0 || (strcmp(text, "hosts") == 0 && several_hosts(size));
}

// Return codes report failures on our communicator.
void ignore_error(void*, int*, ...) {}

}  // namespace

constinit ClockExchange clock_exchange;

void ClockExchange::begin(recording::LiveClock* clock) {
  clock_ = clock;
  clock->identity = clock_identity();
  read_both(&clock->ns, &clock->ticks);
}

bool ClockExchange::in_init(int32_t rank, int32_t size) {
  if (!clock_ || clock_->compares || !wanted(size)) return false;
  const Inside inside;
  const int saved = errno;
  rank_ = rank;
  size_ = size;
  clock_->compares = 1;
  deadline_ns_ = monotonic_ns() + init_limit_ns;
  ready_ = make_communicator();
  compare();
  errno = saved;
  return true;
}

bool ClockExchange::in_finalize(uint64_t run_ns) {
  if (!ready_ || !clock_->comparisons) return false;
  const Inside inside;
  const int saved = errno;
  const uint64_t limit = second_ns + run_ns / 20;
  deadline_ns_ = monotonic_ns() + (limit < finalize_limit_ns ? limit : finalize_limit_ns);
  compare();
  if (ready_) call_real(Fn::Comm_free, &comm_);
  ready_ = false;
  errno = saved;
  return true;
}

bool ClockExchange::make_communicator() {
  if (!has_real(Fn::Comm_idup) || !has_real(Fn::Comm_create_errhandler)) return false;
  if (call_real(Fn::Comm_idup, abi.comm_world, &comm_, &comm_request_) != 0 || !wait(&comm_request_)) return false;
  uint64_t handler = 0;
  if (call_real(Fn::Comm_create_errhandler, &ignore_error, &handler) != 0) return false;
  const uint8_t comm_bytes = abi.family->handle_bytes.comm, handler_bytes = abi.family->handle_bytes.errhandler;
  const bool set =
      call_real(Fn::Comm_set_errhandler, Abi::handle(comm_, comm_bytes), Abi::handle(handler, handler_bytes)) == 0;
  call_real(Fn::Errhandler_free, &handler);
  return set;
}

// Parent: the lowest bit of the rank cleared. The children with the largest subtrees first.
void ClockExchange::compare() {
  if (!ready_) return;
  own_ = {monotonic_ns(), 0, 0};
  known_ = rank_ == 0;
  const int32_t lowest = rank_ ? rank_ & -rank_ : INT32_MAX;
  if (rank_) known_ = ask_parent(rank_ - lowest);
  int32_t step = 1;
  while (step < size_ && step < lowest && step <= INT32_MAX / 2) step *= 2;
  for (; step > 0; step /= 2) {
    if (step < lowest && step < size_ - rank_) ready_ = serve(rank_ + step) && ready_;
  }
  if (known_ && clock_->comparisons < 2) clock_->comparison[clock_->comparisons++] = own_;
}

bool ClockExchange::ask_parent(int32_t parent) {
  Message theirs{};
  if (!send(parent, {clock_->identity, 0, 0, 0}) || !receive(parent, &theirs)) return ready_ = false;
  own_ = {theirs.known_at_ns, theirs.number, theirs.error_ns};
  if (theirs.identity && theirs.identity == clock_->identity) return theirs.known_at_ns != 0;
  uint64_t shortest = UINT64_MAX;
  int64_t offset = 0, at = 0;
  for (int32_t i = 0; i < round_trips; ++i) {
    Message time{};
    const uint64_t before = monotonic_ns();
    if (!send(parent, {0, i, 0, 0}) || !receive(parent, &time)) return ready_ = false;
    const uint64_t took = monotonic_ns() - before;
    if (took >= shortest) continue;
    shortest = took;
    offset = time.number - static_cast<int64_t>(before + took / 2);
    at = time.number;
    own_.own_ns = before + took / 2;
  }
  own_.offset_ns += offset;
  // The parent's own offset is as old as that, and clocks drift.
  const auto age_ns = static_cast<uint64_t>(at) - theirs.known_at_ns;
  own_.error_ns += shortest / 2 + 1 + age_ns / largest_drift;
  return theirs.known_at_ns != 0;
}

bool ClockExchange::serve(int32_t child) {
  Message theirs{};
  if (!receive(child, &theirs)) return false;
  if (!send(child, {clock_->identity, own_.offset_ns, own_.error_ns, known_ ? own_.own_ns : 0})) return false;
  if (theirs.identity && theirs.identity == clock_->identity) return true;
  for (int32_t i = 0; i < round_trips; ++i) {
    if (!receive(child, &theirs)) return false;
    if (!send(child, {0, static_cast<int64_t>(monotonic_ns()), 0, 0})) return false;
  }
  return true;
}

bool ClockExchange::send(int32_t to, const Message& message) {
  const uint64_t comm = Abi::handle(comm_, abi.family->handle_bytes.comm);
  uint64_t request = 0;
  out_ = message;
  return ready_ && call_real(Fn::Isend, &out_, int32_t{sizeof(out_)}, abi.byte, to, tag, comm, &request) == 0 &&
         wait(&request);
}

bool ClockExchange::receive(int32_t from, Message* message) {
  const uint64_t comm = Abi::handle(comm_, abi.family->handle_bytes.comm);
  uint64_t request = 0;
  if (!ready_ || call_real(Fn::Irecv, &in_, int32_t{sizeof(in_)}, abi.byte, from, tag, comm, &request) != 0) {
    return false;
  }
  if (!wait(&request)) {
    call_real(Fn::Cancel, &request);
    call_real(Fn::Request_free, &request);
    return false;
  }
  *message = in_;
  return true;
}

bool ClockExchange::wait(uint64_t* request) {
  const uint64_t begin = monotonic_ns();
  for (uint32_t tries = 1;; ++tries) {
    int32_t done = 0;
    if (call_real(Fn::Test, request, &done, abi.status_ignore) != 0) return ready_ = false;
    if (done) return true;
    if (tries % 64) continue;
    const uint64_t at = monotonic_ns();
    if (at >= deadline_ns_) return ready_ = false;
    if (at - begin < patience_ns) {
      sched_yield();
    } else {
      const timespec pause{0, 200000};
      nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace leadline::recorder
