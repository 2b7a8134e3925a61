// The recorder library, and where it is installed.
#pragma once

#include <string>

namespace leadline::exec {

// The library to preload; LEADLINE_RECORDER names another one. "" if it is not found, or if LD_PRELOAD could not name
// it.
std::string recorder_library();

// The value of LD_PRELOAD: ours first, and then what the user preloads.
std::string merged_preload(const std::string& ours);

}  // namespace leadline::exec
