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

Place chain_place(int processes, int rank, int root) {
  const int from_root = (rank - root + processes) % processes;
  Place place;
  if (from_root) place.parent = (rank - 1 + processes) % processes;
  if (from_root + 1 < processes) place.children.push_back((rank + 1) % processes);
  return place;
}

Place binary_place(int processes, int rank, int root) {
  const int from_root = (rank - root + processes) % processes;
  Place place;
  if (from_root) place.parent = ((from_root - 1) / 2 + root) % processes;
  for (int64_t child = 2 * int64_t{from_root} + 1; child <= 2 * int64_t{from_root} + 2; ++child)
    if (child < processes) place.children.push_back(static_cast<int>((child + root) % processes));
  return place;
}

Place knomial_place(int processes, int rank, int root, int radix) {
  const int64_t from_root = (rank - root + processes) % processes;
  Place place;
  int64_t distance = 1;
  while (distance < processes && from_root % (distance * radix) == 0) distance *= radix;
  if (from_root) place.parent = static_cast<int>((from_root - from_root % (distance * radix) + root) % processes);
  for (distance /= radix; distance > 0; distance /= radix)
    for (int64_t i = 1; i < radix; ++i)
      if (from_root + i * distance < processes)
        place.children.push_back(static_cast<int>((from_root + i * distance + root) % processes));
  return place;
}

OrderedPlace ordered_place(int processes, int rank, int root) {
  OrderedPlace place;
  place.depth = height(std::max(root, processes - 1 - root));
  int first = 0, last = processes, top = root;
  while (top != rank) {
    place.parent = top;
    (rank < top ? last : first) = rank < top ? top : top + 1;
    top = middle(first, last);
  }
  place.left = middle(first, top);
  place.right = middle(top + 1, last);
  return place;
}

}  // namespace leadline::collectives
