// When MPI begins and ends, for worlds and for sessions, and the facts that the library gives then.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/launcher_variables.hpp"
#include "recorder/clocks/clock_exchange.hpp"
#include "recorder/files/files.hpp"
#include "recorder/job/launcher_facts.hpp"
#include "recorder/library/facts.hpp"
#include "recorder/process/conditions.hpp"
#include "recorder/process/recorder.hpp"
#include "recorder/process/tool_variables.hpp"

namespace leadline::recorder {
namespace {

bool world_begun = false;  // MPI_Init was called: its end is MPI_Finalize, not that of a session

}  // namespace

void Recorder::initializes() {
  recording::ProcessHeader& h = *header_;
  if (h.initialized != trace::mpi_not_begun) return;
  h.rank = static_cast<int32_t>(host::launcher_rank());
  h.world_size = static_cast<int32_t>(host::launcher_ranks());
  h.world = world_from_launcher();
  h.initialized = trace::mpi_beginning;
}

void Recorder::not_initialized() {
  if (header_->initialized == trace::mpi_beginning) header_->initialized = trace::mpi_not_begun;
}

void Recorder::began(Ticks begin) {
  recording::ProcessHeader& h = *header_;
  h.initialized = trace::mpi_begun;
  // The series' times start here, so the system's clock is moved to the same moment.
  const recording::TickScale scale{h.tick_factor};
  if (begin > h.first_ticks) h.start_unix_ns += static_cast<int64_t>(scale.ns(begin - h.first_ticks));
  h.first_ticks = begin;
  // Time before this is not the rank's.
  if (Thread* t = own_thread()) {
    t->skip_to(begin);
    t->begins_long_work();
  }
  __atomic_store_n(&h.own_between_calls, 0, __ATOMIC_RELAXED);
  settings_.clear();
  read_library_settings(&settings_);
  conditions_in_init(&h.conditions);
  if (!has_real(Fn::Get_library_version)) return;
  static char text[16384];  // the program's stack may be small
  int32_t length = 0;
  call_real(Fn::Get_library_version, text, &length);
  snprintf(h.library, sizeof(h.library), "%.*s", static_cast<int>(strcspn(text, "\n\r")), text);
}

void Recorder::initialized(Ticks begin) {
  recording::ProcessHeader& h = *header_;
  int32_t flag = 0, level = 0;
  if (call_real(Fn::Initialized, &flag) != 0 || !flag) return not_initialized();
  if (!is_initialized()) began(begin);
  world_begun = true;
  h.finalized = 0;
  files_outside(false);
  call_real(Fn::Comm_rank, abi.comm_world, &h.rank);
  call_real(Fn::Comm_size, abi.comm_world, &h.world_size);
  // With MPI_THREAD_SERIALIZED too: file calls come from several threads at once.
  const bool known = !open_sessions_ && call_real(Fn::Query_thread, &level) == 0;
  if (known) lock_.set_needed(level >= (abi.thread_multiple + 1) / 2);
  find_library_facts(abi.comm_world);
  handles_.comm(abi.comm_world);
  clock_exchange.in_init(h.rank, h.world_size);
  learn_rate();
}

// The library took long enough to begin for the counter's rate to be known well: the program's calls are timed with it.
void Recorder::learn_rate() {
  const uint64_t factor = rate_.factor();
  __atomic_store_n(&header_->tick_factor, factor, __ATOMIC_RELAXED);  // other threads may begin meanwhile
  if (Thread* t = own_thread()) t->graph.set_scale({factor});
}

void Recorder::note_conditions(Thread& t) {
  constexpr uint64_t every_ns = 1'000'000'000;
  const Ticks begin = now();
  if (t.number || !is_initialized() || header_->finalized) return;  // another thread may have come first
  if (conditions_noted_ && begin - conditions_noted_ < ticks_of_ns(every_ns, header_->tick_factor)) return;
  conditions_noted_ = begin;
  const int saved = errno;
  {
    const Inside inside;
    const HeldSignals held;
    conditions_meanwhile(&header_->conditions);
  }
  errno = saved;
  leave_out(t, now() - begin);
}

void Recorder::finalizes() {
  const Ticks begin = now();
  const int saved = errno;
  conditions_in_finalize(&header_->conditions);
  variables_.clear();
  read_tool_variables(&variables_);
  errno = saved;
  own_time(now() - begin);
  const recording::TickScale scale{header_->tick_factor};
  clocks_from_ = clock_exchange.in_finalize(scale.ns(now() - header_->first_ticks)) ? begin : 0;
}

void Recorder::finalized(Ticks end) {
  header_->finalized = 1;
  header_->last_ticks = end;
  // What was left out after it is not in the time that it ends.
  const Thread* t = own_thread();
  const Ticks beyond = t && t->header->last_end > end ? t->header->last_end - end : 0;
  const uint64_t own = __atomic_load_n(&header_->own_between_calls, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&header_->own_between_calls, beyond < own ? beyond : own, __ATOMIC_RELAXED);
  files_outside(true);
}

void Recorder::session_opened(uint64_t session, Ticks begin) {
  lock_.set_needed(true);  // each session has its own level of threads
  ++open_sessions_;
  header_->finalized = 0;
  files_outside(false);
  const bool first = !is_initialized();
  if (first) {
    began(begin);
    learn_rate();
  }
  if (handles_.session()) return;
  handles_.set_session(session);
  if (first || header_->rank < 0) read_rank_of(session);
}

void Recorder::read_rank_of(uint64_t session) {
  uint64_t group = 0;
  if (call_real(Fn::Group_from_session_pset, session, "mpi://WORLD", &group) != 0) return;
  call_real(Fn::Group_rank, group, &header_->rank);
  call_real(Fn::Group_size, group, &header_->world_size);
  call_real(Fn::Group_free, &group);
}

void Recorder::session_closes(uint64_t session) {
  if (handles_.session() == session) handles_.set_session(0);
}

void Recorder::session_closed(Ticks end) {
  if (open_sessions_) --open_sessions_;
  if (open_sessions_ || world_begun) return;
  conditions_in_finalize(&header_->conditions);
  finalized(end);
}

}  // namespace leadline::recorder
