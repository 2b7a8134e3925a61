// Blocks that go along a k-nomial tree (Problem::radix): up to the root, whose are all in the end, or down from it. A
// rank's subtree has the blocks of those ranks that follow it, counted from the root.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// A rank collects the blocks of its subtree and passes them on with its own. False: the radix is below 2.
bool gather_along_tree(const Problem& problem, Schedule* schedule);
// A rank receives the blocks of its subtree, keeps its own, and passes the others on.
bool scatter_along_tree(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
