// Reads the live memory (live.hpp) that a killed process left behind, and encodes it as the process would have done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/process.hpp"

namespace leadline::recording {

// Adds the contents of the .live file to `process`. Returns the error, empty if the file was read.
// chunks: where the same is appended as chunks of a trace, the end among them; nullptr: nowhere.
std::string salvage(const std::string& path, trace::Process* process, std::vector<uint8_t>* chunks = nullptr);

// What the process would have written as its trace, if it had not been killed, but for what is in its .part file. Its
// end says that it was killed. Returns the error, empty if `chunks` has them.
std::string chunks_of_killed(const std::string& path, std::vector<uint8_t>* chunks);

}  // namespace leadline::recording
