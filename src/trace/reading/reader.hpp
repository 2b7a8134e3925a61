// Reads trace files. Bytes are untrusted: a damaged file gives an error or a Process with losses, but never a crash, a
// hang or an allocation beyond a small multiple of the file's size.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trace/process.hpp"

namespace leadline::trace {

struct ReadError {
  std::string message;  // problem, place (byte), next step; empty = no error
};

// A generation, and the thread whose it is.
struct KnownGeneration {
  uint32_t thread = 0;
  WrittenGeneration generation;
};

// Files that were read, for whoever needs them again: files that several traces share, and traces that are decoded
// again whenever they are needed. Long payloads stay in their files. Several threads may ask at once.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  struct File;
  std::shared_ptr<File> at(const std::string& path);

  // The generations of a trace that was read to its end, so that nobody decodes them to know what they hold.
  void remember(const std::string& path, const Process& process);
  std::shared_ptr<const std::vector<KnownGeneration>> known(const std::string& path);  // nullptr: none was

 private:
  std::mutex mutex_;
  // By path.
  std::map<std::string, std::shared_ptr<File>> files_;
  std::map<std::string, std::shared_ptr<const std::vector<KnownGeneration>>> generations_;
};

// Adds the contents of a .trace file. If only its beginning is readable, that part is added, with a loss that says how
// much is missing. The caller calls finish_process().
// files: what was read before; nullptr: nothing is kept.   keep: the trace's own tables, too, not only shared files.
ReadError read_trace(const std::string& path, Process* process, FilesRead* files, bool keep);

// Adds the generations that a process wrote to its .part file before its end. A process that was killed while it
// finished has also put tables there; the state that it left has them again.
void read_part(const std::string& path, Process* process);

}  // namespace leadline::trace
