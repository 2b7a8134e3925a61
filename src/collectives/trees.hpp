// The trees that messages go along.
#pragma once

#include <vector>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// A rank's place. -1: none.
struct Place {
  int parent = -1;
  std::vector<int> children;  // in the order in which they are sent to
};

// Every rank but the root has the one before it as its parent, counted from the root.
Place chain_place(int processes, int rank, int root);
// The children of the process at distance d from the root are those at 2 d + 1 and 2 d + 2.
Place binary_place(int processes, int rank, int root);
// A process sends to `radix` - 1 others at each level; radix 2: the binomial tree. Far ones, which have the most to
// pass on, first.
Place knomial_place(int processes, int rank, int root, int radix);

// A binary tree whose every subtree is a run of ranks, with its top between its left and its right part: what comes
// from the left is of lower ranks, and what comes from the right of higher ones.
struct OrderedPlace {
  int parent = -1, left = -1, right = -1;
  int depth = 0;  // of the whole tree: messages from the farthest leaf to the root
};
OrderedPlace ordered_place(int processes, int rank, int root);

}  // namespace leadline::collectives
