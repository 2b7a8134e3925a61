// The recording of this process: its files, its tables, its threads, and when it begins and ends.
#pragma once

#include "recorder/lock.hpp"
#include "recorder/modules.hpp"
#include "recorder/requests.hpp"
#include "recorder/storage.hpp"
#include "recorder/thread.hpp"
#include "trace/encode.hpp"

namespace leadline::recorder {

class TraceFile;

class Recording {
 public:
  // The calling thread's state; nullptr where nothing is recorded. Called when this_thread is not set.
  Thread* enter();

  void initialized(Ticks begin);  // MPI_Init has returned
  void finalized(Ticks end);      // MPI_Finalize has returned
  void finish();                  // the process ends: writes the trace
  void forked();                  // in the child: nothing of the parent's is ours
  void leave(Thread* thread);     // the thread ends: its state is for the next one
  void pause(Ticks from);         // nothing is recorded until
  void resume(Ticks to);

  Handles& handles() { return handles_; }
  Requests& requests() { return requests_; }
  Requests& messages() { return messages_; }  // that MPI_Mprobe matched
  Lock& lock() { return lock_; }
  void lose(trace::LossKind kind, uint64_t n = 1) { header_->losses[static_cast<uint32_t>(kind)] += n; }
  void own_time(Ticks ticks) { header_->own_ticks += ticks; }
  uint64_t wildcards = 0;  // receives from anybody that are under way

 private:
  enum class State : uint8_t { unknown, on, off };

  void start();
  void begin_pause(Ticks from);
  bool attach_process();
  void write_function_names();
  Thread* add_thread();
  bool attach_thread(Thread* t);
  void turn_generation(Thread* t);
  void write_definitions(TraceFile* file);
  void write_thread(const char* region, TraceFile* file);
  void sample_own_time();
  void discard_live();

  State state_ = State::unknown;
  int64_t pid_ = 0;
  char directory_[1024] = {};
  char stem_[256] = {};
  Storage storage_;
  char* process_region_ = nullptr;
  trace::ProcessHeader* header_ = nullptr;
  TickRate rate_;
  Modules modules_;
  Handles handles_;
  Requests requests_, messages_;
  Lock lock_;
  Thread* threads_[trace::max_threads] = {};
  uint32_t thread_count_ = 0;
  uint64_t budget_ = 0, written_ = 0;
};

extern Recording& recording;

// Says something to the user, once per process, on standard error.
void tell(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace leadline::recorder
