// Which process holds which part of the ocean: columns x rows of blocks, each from surface to bed.
//
// rank = row * columns + column. The ocean goes round the earth, so the first column is the last one's eastern
// neighbour; in the south and the north it ends.
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"

namespace pop {

constexpr int halo_width = 2;

struct Block {
  int x_first;
  int nx;
  int y_first;
  int ny;
};

class Blocks {
 public:
  // Throws kit::UsageError where the grid cannot be cut so: a halo must come from the next block alone.
  Blocks(const Settings& settings, int ranks);

  int ranks() const { return columns() * rows(); }
  int columns() const { return static_cast<int>(x_first_.size()) - 1; }
  int rows() const { return static_cast<int>(y_first_.size()) - 1; }
  Block block(int rank) const;
  int owner(int x, int y) const;  // of a global point

 private:
  std::vector<int> x_first_;  // per column, and where the last one ends
  std::vector<int> y_first_;
};

}  // namespace pop
