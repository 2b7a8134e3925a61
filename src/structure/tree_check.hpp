// Whether a loop tree stands for the calls that the trace has, walked one by one.
#pragma once

#include <string>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

// Where the tree's calls differ from the stream's, in words; empty if they don't. Of calls whose parameters vary, the
// site and the communicator are compared. Takes as long as a walk.
std::string difference(const trace::Stream& stream, const LoopTree& tree);

}  // namespace leadline::structure
