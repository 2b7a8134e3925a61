// Parts the iterations of a loop that no call shows: in the tree they are one, whose inner loop goes on and on.
#pragma once

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// Where the outer loop makes the inner one in an iteration, each `inner_iterations` of this are an iteration of their
// own. The calls and their order stay. Instances of the inner loop that are no multiple of that stay whole.
void split_iterations(const trace::SilentSteps& steps, LoopTree* tree);

}  // namespace leadline::structure
