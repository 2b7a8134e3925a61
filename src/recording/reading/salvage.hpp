// Reads the live memory (live.hpp) that a killed process left behind, and encodes it as the process would have done.
#pragma once

#include <string>

#include "trace/process.hpp"

namespace leadline::recording {

// Adds the contents of the .live file to `process`. Returns the error, empty if the file was read.
std::string salvage(const std::string& path, trace::Process* process);

}  // namespace leadline::recording
