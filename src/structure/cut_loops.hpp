// Loops found by the order of calls, whose last iteration ends in the middle.
//
// Without machine code, a call made before a loop and again at the end of each iteration looks like the first of an
// iteration (A, then B and A so often: A B, A B, A), and so does the end of a loop that is left in the middle. There is
// one iteration too many in the first case, and not in the second. Such loops are marked (SourceLoop::about).
#pragma once

#include "trace/process.hpp"

namespace leadline::structure {

// To be called once for a process that was read.
void mark_cut_loops(trace::Process* process);

}  // namespace leadline::structure
