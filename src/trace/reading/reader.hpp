// Reads trace files. Bytes are untrusted: a damaged file gives an error or a Process with losses, never a crash, a hang
// or an allocation beyond a small multiple of the file's size.
#pragma once

#include <string>

#include "trace/process.hpp"

namespace leadline::trace {

struct ReadError {
  std::string message;  // what, where (byte), what next; empty = no error
};

// Adds what a .trace file holds. One whose beginning is readable gives that and a loss that says what is missing.
// finish_process() is left to the caller.
ReadError read_trace(const std::string& path, Process* process);

// Adds the generations that a process wrote to its .part file before its end. One that was killed while it finished has
// put tables there too: the state it left has them again.
void read_part(const std::string& path, Process* process);

}  // namespace leadline::trace
