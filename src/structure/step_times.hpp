// The times of iterations that no call shows, from those of the calls.
#pragma once

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// Adds them to the stream's series, if its calls were timed: exactly, if all were; otherwise as so many iterations of
// the inner loop, if the recorder timed that. `steps`: in iterations of a loop whose iterations calls show.
void add_step_times(const trace::SilentSteps& steps, uint64_t inner_iterations, trace::Stream* stream);

}  // namespace leadline::structure
