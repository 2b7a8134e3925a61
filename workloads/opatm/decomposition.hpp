// Which process holds which part of the sea, and who its neighbours are.
//
// The sea is cut into columns x rows of blocks, each from surface to bed; strips are blocks with a single row. Ranks
// count from south to north first:   rank = column * rows + row.
#pragma once

#include <string>
#include <vector>

#include "kit/field_file.hpp"
#include "settings.hpp"

namespace opatm {

struct Range {
  int first;
  int count;
};

struct Block {
  Range x;
  Range y;
};

// Of a Field of so many levels: its block and the halo that is read around it.
kit::FieldBlock field_block(const Block& block, const Extent& grid, int levels);
// The block's values alone, as Field::copy_block_to puts them.
kit::FieldBlock bare_block(const Block& block, const Extent& grid);

enum class Side { west, east, south, north };

class Decomposition {
 public:
  static constexpr int nobody = -1;  // beyond the shore

  // Throws kit::UsageError where the grid cannot be cut so: a block must be at least one point wide, which is what the
  // scheme's halo of one point takes from its neighbour.
  Decomposition(const Extent& grid, const Layout& layout, int ranks);

  int ranks() const { return static_cast<int>(columns_.size() * rows_.size()); }
  Block block(int rank) const;
  int neighbour(int rank, Side side) const;
  bool has_rows() const { return rows_.size() > 1; }  // whether anybody has a neighbour south or north
  std::string described() const;                      // "strips" or "4 x 8 blocks"

 private:
  std::vector<Range> columns_;
  std::vector<Range> rows_;
  bool in_strips_;
};

}  // namespace opatm
