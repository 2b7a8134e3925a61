// The recording of this process: its files, its tables, its threads, and when it begins and ends.
#pragma once

#include "host/tell.hpp"
#include "recorder/call_paths/modules.hpp"
#include "recorder/job/run_directory.hpp"
#include "recorder/memory/budgets.hpp"
#include "recorder/memory/live_directory.hpp"
#include "recorder/memory/lock.hpp"
#include "recorder/memory/storage.hpp"
#include "recorder/objects/requests.hpp"
#include "recorder/samples/sample_table.hpp"
#include "recorder/thread.hpp"
#include "recording/encode.hpp"

namespace leadline::recorder {

class TraceFile;

class Recorder {
 public:
  // The calling thread's state; nullptr where nothing is recorded. Called when this_thread is not set.
  Thread* enter();

  bool undecided() const { return state_ == State::unknown; }  // no MPI library was there yet
  // Whether the calling thread may enter although it does not call MPI: where only one thread does, nothing is locked.
  bool may_enter() const;

  void initializes();             // MPI_Init, or the first session, is about to begin
  void not_initialized();         // it has failed
  void initialized(Ticks begin);  // MPI_Init has returned
  void finalizes();               // MPI_Finalize is about to be called
  void finalized(Ticks end);      // MPI_Finalize has returned
  // Whether MPI_Init took time for that, and where MPI_Finalize began to, 0: it did not.
  bool compares_clocks() const { return header_->clock.compares; }
  Ticks compared_clocks() const { return clocks_from_; }
  // Without MPI_Init, the first session begins MPI, and the end of the last one ends it.
  void session_opened(uint64_t session, Ticks begin);
  void session_closes(uint64_t session);
  void session_closed(Ticks end);
  void finish();               // the process ends: writes the trace
  void forked();               // in the child: nothing of the parent's state is valid
  void leave(Thread* thread);  // the thread ends: its state is for the next one
  void pause(Ticks from);      // nothing is recorded until
  void resume(Ticks to);
  // The samples that wait: of computation before a call at the site, or within a call.
  enum class Where : uint8_t { before_call, in_call };
  void take_samples(Thread& thread, uint32_t site, Where where);
  bool lose_page(uint64_t address);  // of the live file: the recording ends; in a signal handler
  void code_unloaded();              // addresses may have new meanings; safe under the dynamic linker's locks
  void catch_up();                   // with what code_unloaded could not do at once

  Handles& handles() { return handles_; }
  Requests& requests() { return requests_; }
  Requests& messages() { return messages_; }  // that MPI_Mprobe matched
  Lock& lock() { return lock_; }
  void lose(trace::LossKind kind, uint64_t n = 1) {
    __atomic_fetch_add(&header_->losses[static_cast<uint32_t>(kind)], n, __ATOMIC_RELAXED);
  }
  void own_time(Ticks ticks) { __atomic_fetch_add(&header_->own_ticks, ticks, __ATOMIC_RELAXED); }
  void own_processor_time(uint64_t since_ns) { own_time(ticks_of_ns(processor_ns() - since_ns, header_->tick_factor)); }
  // The same of what is left out of the time before a call. After MPI_Finalize no time is reported.
  void own_time_between_calls(Ticks ticks) {
    own_time(ticks);
    if (__atomic_load_n(&header_->finalized, __ATOMIC_RELAXED)) return;
    __atomic_fetch_add(&header_->own_between_calls, ticks, __ATOMIC_RELAXED);
  }
  // Of the ticks until now, since the thread's last call, those on a core are own work and not the program's.
  void leave_out(Thread& t, Ticks ticks);
  // Now and then, between two calls of the thread: the conditions so far, for the case that the process is killed.
  void note_conditions(Thread& t);
  void learnt(Thread& t, Ticks ticks);  // something about a call, before it is made or after it returned

 private:
  enum class State : uint8_t { unknown, on, off };

  void start();
  bool is_initialized() const { return header_->initialized == trace::mpi_begun; }
  void begin_pause(Ticks from);
  void create_live_file();
  void call_in_all_threads();
  void began(Ticks begin);
  void learn_rate();
  void read_rank_of(uint64_t session);
  bool attach_process();
  void write_function_names();
  Thread* add_thread();
  Thread* make_thread();
  bool attach_thread(Thread* t);
  void begin_sampling(Thread* t);
  void drop_samples();
  void turn_generation(Thread* t);
  bool spill_series(Thread* t, bool last);
  void keep_series(Thread* t);
  void write_process(TraceFile* file, bool last);
  void write_thread(const char* region, TraceFile* file);
  void put_call_under_way(const Thread& t, trace::ByteSink* sink) const;
  void sample_own_time();
  void discard_live();
  bool append_trace(const trace::ByteSink& gathered);
  int name_trace(const FilePath& part);

  std::atomic<State> state_{State::unknown};
  int64_t pid_ = 0;
  char stem_[128] = {};
  LiveDirectory live_directory_;
  FilePath live_path_ = {}, part_path_ = {}, unfinished_path_ = {}, trace_path_ = {};
  Storage storage_;
  char* process_region_ = nullptr;
  recording::ProcessHeader* header_ = nullptr;
  TickRate rate_;
  Modules modules_;
  Handles handles_;
  RegionNames region_names_;
  SampleTable samples_;
  trace::ByteSink variables_, settings_;
  Requests requests_, messages_;
  Lock lock_;
  Lock entering_;  // taken always: threads that never call MPI come in through named regions
  Thread* threads_[trace::max_threads] = {};
  uint32_t thread_count_ = 0;
  std::atomic<bool> unloading_pending_{false};
  bool no_more_threads_ = false;  // there was no memory for another one
  Budgets budgets_;
  uint64_t written_ = 0;  // bytes of files
  uint32_t open_sessions_ = 0;
  Ticks clocks_from_ = 0, conditions_noted_ = 0;
  bool pages_lost_ = false;
  bool has_part_ = false;  // something of the series is in the .part file
};

extern constinit Recorder& this_process;

// The trace is written when the process ends. Called before `main`.
void finish_at_exit();

}  // namespace leadline::recorder
