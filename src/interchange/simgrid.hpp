// SimGrid's time-independent traces: a file for each rank. Sizes are in bytes; a flop of computation is a nanosecond.
#pragma once

#include <string>

#include "interchange/actions.hpp"

namespace leadline::interchange {

// Writes the rank's file. Returns errno of a failure, or 0.
int write_simgrid(Actions* actions, const trace::Process& process, uint32_t index, const std::string& path);

}  // namespace leadline::interchange
