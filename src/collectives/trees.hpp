// The trees that messages go along.
#pragma once

#include <vector>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Whom a rank receives from and sends to in a tree. -1: none.
struct TreeLinks {
  int parent = -1;
  std::vector<int> children;  // in the order in which they are sent to
};

// Every rank but the root has the one before it as its parent, counted from the root.
TreeLinks chain_tree_links(int processes, int rank, int root);
// The children of the process at distance d from the root are those at 2 d + 1 and 2 d + 2.
TreeLinks binary_tree_links(int processes, int rank, int root);
// A process sends to `radix` - 1 others at each level; radix 2: the binomial tree. Far ones, which have the most to
// pass on, first.
TreeLinks knomial_tree_links(int processes, int rank, int root, int radix);

// A binary tree whose every subtree is a run of ranks, with its top between its left and its right part: what comes
// from the left is of lower ranks, and what comes from the right of higher ones.
struct OrderedTreeLinks {
  int parent = -1, left = -1, right = -1;
  int depth = 0;  // of the whole tree: messages from the farthest leaf to the root
};
OrderedTreeLinks ordered_tree_links(int processes, int rank, int root);

}  // namespace leadline::collectives
