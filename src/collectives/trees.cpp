#include "collectives/trees.hpp"

#include <algorithm>

namespace leadline::collectives {

namespace {

// The top of ranks first .. last - 1; -1: there are none.
int middle(int first, int last) { return first < last ? first + (last - first) / 2 : -1; }

int height(int ranks) {
  int levels = 0;
  for (; ranks > 0; ranks /= 2) ++levels;
  return levels;
}

}  // namespace

TreeLinks chain_tree_links(int processes, int rank, int root) {
  const int from_root = (rank - root + processes) % processes;
  TreeLinks links;
  if (from_root) links.parent = (rank - 1 + processes) % processes;
  if (from_root + 1 < processes) links.children.push_back((rank + 1) % processes);
  return links;
}

TreeLinks binary_tree_links(int processes, int rank, int root) {
  const int from_root = (rank - root + processes) % processes;
  TreeLinks links;
  if (from_root) links.parent = ((from_root - 1) / 2 + root) % processes;
  for (int64_t child = 2 * int64_t{from_root} + 1; child <= 2 * int64_t{from_root} + 2; ++child)
    if (child < processes) links.children.push_back(static_cast<int>((child + root) % processes));
  return links;
}

TreeLinks knomial_tree_links(int processes, int rank, int root, int radix) {
  const int64_t from_root = (rank - root + processes) % processes;
  TreeLinks links;
  int64_t distance = 1;
  while (distance < processes && from_root % (distance * radix) == 0) distance *= radix;
  if (from_root) links.parent = static_cast<int>((from_root - from_root % (distance * radix) + root) % processes);
  for (distance /= radix; distance > 0; distance /= radix)
    for (int64_t i = 1; i < radix; ++i)
      if (from_root + i * distance < processes)
        links.children.push_back(static_cast<int>((from_root + i * distance + root) % processes));
  return links;
}

OrderedTreeLinks ordered_tree_links(int processes, int rank, int root) {
  OrderedTreeLinks links;
  links.depth = height(std::max(root, processes - 1 - root));
  int first = 0, last = processes, top = root;
  while (top != rank) {
    links.parent = top;
    (rank < top ? last : first) = rank < top ? top : top + 1;
    top = middle(first, last);
  }
  links.left = middle(first, top);
  links.right = middle(top + 1, last);
  return links;
}

}  // namespace leadline::collectives
