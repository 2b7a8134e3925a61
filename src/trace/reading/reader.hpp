// Reads trace files. Bytes are untrusted: a damaged file gives an error or a Process with losses, but never a crash, a
// hang or an allocation beyond a small multiple of the file's size.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "trace/process.hpp"

namespace leadline::trace {

struct ReadError {
  std::string message;  // problem, place (byte), next step; empty = no error
};

// Bytes of files that were read, for whoever needs them again: files that several traces share, and traces that are
// decoded again whenever they are needed. Several threads may ask at once.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  struct File;
  std::shared_ptr<File> at(const std::string& path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<File>> files_;  // by path
};

// Adds the contents of a .trace file. If only its beginning is readable, that part is added, with a loss that says how
// much is missing. The caller calls finish_process().
// files: what was read before; nullptr: nothing is kept.   keep: the trace's own bytes, too, not only shared files.
ReadError read_trace(const std::string& path, Process* process, FilesRead* files, bool keep);

// Adds the generations that a process wrote to its .part file before its end. A process that was killed while it
// finished has also put tables there; the state that it left has them again.
void read_part(const std::string& path, Process* process);

}  // namespace leadline::trace
