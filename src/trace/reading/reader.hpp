// Reads trace files. Bytes are untrusted: a damaged file gives an error or a Process with losses, but never a crash, a
// hang or an allocation beyond a small multiple of the file's size.
#pragma once

#include <string>

#include "trace/process.hpp"

namespace leadline::trace {

struct ReadError {
  std::string message;  // problem, place (byte), next step; empty = no error
};

// Adds the contents of a .trace file. If only its beginning is readable, that part is added, with a loss that says how
// much is missing. The caller calls finish_process().
ReadError read_trace(const std::string& path, Process* process);

// Adds the generations that a process wrote to its .part file before its end. A process that was killed while it
// finished has also put tables there; the state that it left has them again.
void read_part(const std::string& path, Process* process);

}  // namespace leadline::trace
