// Reads the trace of one process. Bytes are untrusted: a damaged file gives an error or a Process with losses,
// never a crash, a hang or an allocation beyond a small multiple of the file's size.
#pragma once

#include <string>
#include <vector>

#include "trace/process.hpp"

namespace leadline::trace {

struct ReadError {
  std::string message;  // what, where (byte), what next; empty = no error
};

// A file whose beginning is readable is returned with what it holds and a loss that says what is missing.
ReadError read_process(const std::string& path, Process* process);

// The trace files of a run directory, one per process: .trace files and the .live files without a finished .trace.
std::vector<std::string> trace_files(const std::string& directory, ReadError* error);

}  // namespace leadline::trace
