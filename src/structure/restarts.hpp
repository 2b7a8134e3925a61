// Iterations that no call shows, bounded by call sequences that restart.
//
// A loop may make all its calls in an inner loop and repeat without passing any other: the iterations of the inner loop
// then follow one another through several of the outer one. If contents and partners of their messages repeat with a
// constant period, an iteration of the outer loop may begin there. The inner loop may also have such a period by
// itself, so this is how many iterations there are at most, if they are alike. Where all iterations are the same, the
// shortest of the iterations that were seen decides: if it makes a single one of the inner loop, each of these may be
// one.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

struct Restarts {
  uint64_t times = 0;  // that the inner loop's iterations restart, in the whole run; 0: they do not, or not regularly
  uint64_t iterations =
      0;  // of the inner loop from one start to the next; 0: this differs, or a loop further in restarts
};

// Indexed by number of the stream's loops: those marked as silent, if the inner loop that makes most calls has a
// period.
std::vector<Restarts> restarts_of(const LoopTree& tree, const trace::Stream& stream);

}  // namespace leadline::structure
