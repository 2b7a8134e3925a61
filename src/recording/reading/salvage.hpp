// What a process left behind that was killed: its live memory (live.hpp), encoded here as it would have done itself.
#pragma once

#include <string>

#include "trace/process.hpp"

namespace leadline::trace {

// Adds to `process` what the .live file holds. Returns what is wrong, empty if it was read.
std::string salvage(const std::string& path, Process* process);

}  // namespace leadline::trace
