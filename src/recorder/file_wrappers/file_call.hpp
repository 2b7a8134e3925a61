// One call of libc on a file: what the wrappers do before and after the real function.
#pragma once

#include "recorder/call_paths/call_path.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/files/open_files.hpp"
#include "recorder/library/file_functions.hpp"
#include "recorder/thread.hpp"

namespace leadline::recorder {

class FileCall {
 public:
  // `file`: nullptr where the call opens one.
  FileCall(FileFn fn, OpenFile* file, Caller caller);

  // The real function has returned. One of these is to be called, after which the call is recorded. errno is that of
  // the real function before and after.
  void end_transfer(int fd, int64_t bytes, bool reads);             // where the descriptor stands; -1: a stream's
  void end_transfer_at(int64_t offset, int64_t bytes, bool reads);  // somewhere else
  void end_open(OpenFile* opened, int flags, bool failed);
  void end_close(uint32_t file, int32_t place);  // the open file as it was before it was closed
  void end_seek(int64_t position);               // negative: failed
  void end_other(int64_t count, int64_t value, bool failed);

  // The file behind the descriptor that this call made; nullptr if it is not recorded.
  OpenFile* opened(int fd, int flags) const;

 private:
  enum class Where : uint8_t {
    event,        // called by the program: recorded
    outside,      // the same, where there is no order: counted
    paused,       // the same, while recording is paused: only where the descriptor stands is kept
    beneath_mpi,  // called by the MPI library
    beneath_file  // called within another file call, or by a signal handler
  };

  bool of_program() const { return where_ <= Where::paused; }
  Where look_around(Caller caller);
  trace::FileLayer layer() const;
  bool counts() const;
  void finish();
  void transferred(int64_t offset, int64_t bytes, bool reads);
  void counted(int64_t count, int64_t value, bool failed);
  void add_event(const trace::Key& key);
  void count_end(FileCount what, uint64_t n = 1);  // in this call's layer

  FileFn fn_;
  Where where_;
  OpenFile* file_;
  Thread* thread_ = nullptr;
  Caller caller_;
  Ticks begin_ = 0, end_ = 0;
};

// A call for one character, too expensive for an event: counted by caller, timed by sampling.
class CharacterCall {
 public:
  CharacterCall(FileFn fn, OpenFile* file, Caller caller);
  void end(bool moved, bool reads);

 private:
  OpenFile* file_;
  recording::LiveLocal* local_ = nullptr;
  Ticks begin_ = 0;
  uint64_t weight_ = 0;
};

// Brings the characters that went one by one into the file's totals.
// Counts bytes that went by at the open file's position without a call that was seen.
void count_unseen(OpenFile* file, int64_t bytes, bool reads);

}  // namespace leadline::recorder
