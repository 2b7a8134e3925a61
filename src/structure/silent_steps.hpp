// Iterations that no call shows, but what the calls do, or when they are made.
//
// A loop may make all its calls in an inner loop (fields exchanged one at a time, then computation). Where one of its
// iterations ends, the inner loop begins again. That shows in the record, if it shows everywhere after the same number
// of the inner loop's iterations:
//  * a partner, tag, count or offset that goes on from one iteration to the next falls back;
//  * what the inner iterations do repeats, and most time passes before the first of each repeat;
//  * they are all alike, and nearly all computation comes before the first of so many.
// The last is not certain, as the inner loop may compute more in every tenth of its iterations, say: such loops are
// marked (SourceLoop::about).
#pragma once

#include <cstddef>

#include "trace/process.hpp"

namespace leadline::structure {

// Adds what it finds to the streams: their `steps`, the numbers of iterations of their loops, and, where all calls have
// times, the times of the iterations. To be called once for a process that was read.
void find_silent_steps(trace::Process* process);

}  // namespace leadline::structure
