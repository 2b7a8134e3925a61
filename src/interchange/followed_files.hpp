// The file that each call uses. A trace names an open file by a number that is reused after the file is closed, and
// records at the open which file it is (docs/reference/format.md, Events); so open files are followed from call to
// call. If the order of the calls does not identify the file, it is unknown and not guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "structure/decoded_call.hpp"
#include "trace/process.hpp"

namespace leadline::interchange {

struct OpenFile {
  enum class Interface : uint8_t { none, libc, mpi };
  Interface by = Interface::none;  // none: the call is about no open file
  bool stream = false;             // of libc: opened as a stream
  bool created = false;            // the call that opened it is exported, and what it was opened for is known
  uint32_t number = 0;             // of the open file; MPI's: among the communicators
  uint32_t file = 0;               // in Process::files; 0: unknown
  int64_t flags = -1;              // that it was opened with; -1: unknown

  uint64_t key() const { return uint64_t{number} << 1 | (by == Interface::mpi); }
};

// What a thread did with all the open files that had one number.
struct NumberUse {
  uint64_t opens = 0;
  uint64_t closes_of_others = 0;  // of what it had not opened
  OpenFile opened;                // the last one
};
using NumberUses = std::unordered_map<uint64_t, NumberUse>;  // by OpenFile::key()

// The uses by all threads of a process, known after a first pass.
class OpenedFiles {
 public:
  void add(const NumberUses& of_thread);  // in the order of the streams
  // The file of another thread that this one uses, too: the only one that ever had the number.
  std::optional<OpenFile> by_another(size_t stream, uint64_t key) const;
  // Whether another thread may have closed what this one has opened, and opened something else.
  bool doubtful(size_t stream, uint64_t key) const;

 private:
  std::vector<NumberUses> threads_;
  NumberUses all_;
};

class FollowedFiles {
 public:
  // `all`: may be null: files that other threads opened are unknown.
  FollowedFiles(const trace::Process& process, size_t stream, const OpenedFiles* all);

  // The thread's next call.   begin_ns: in the process's time; NaN: unknown
  void follow(const structure::DecodedCall& call, bool exported, double begin_ns);

  // Of that call:
  const OpenFile& file() const { return now_; }
  bool opens() const { return opens_; }
  bool closes() const { return closes_; }
  const std::optional<OpenFile>& replaced() const { return replaced_; }  // had its number and was closed before, unseen

  const NumberUses& uses() const { return uses_; }

 private:
  using Interface = OpenFile::Interface;
  void open(OpenFile file);
  void close(Interface by, uint32_t number);
  void use(Interface by, uint32_t number);
  uint32_t file_of(int64_t count, Interface by);
  void pass_pauses(double begin_ns);

  const trace::Process& process_;
  size_t stream_;
  const OpenedFiles* all_;
  std::vector<uint8_t> of_streams_;  // by function
  uint32_t duplicating_;             // the function fdopen, which opens no file
  bool stream_call_ = false;
  uint32_t highest_ = 0;  // file that the thread has opened
  size_t pauses_passed_ = 0;
  std::unordered_map<uint64_t, OpenFile> open_;
  NumberUses uses_;
  OpenFile now_;
  bool opens_ = false, closes_ = false;
  std::optional<OpenFile> replaced_;
};

}  // namespace leadline::interchange
