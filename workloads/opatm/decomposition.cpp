#include "decomposition.hpp"

#include <numeric>

#include "kit/program.hpp"

namespace opatm {
namespace {

std::vector<Range> consecutive(const std::vector<int>& counts) {
  std::vector<Range> ranges;
  int first = 0;
  for (int count : counts) {
    ranges.push_back({first, count});
    first += count;
  }
  return ranges;
}

// As even as can be, the remainder spread over the first parts.
std::vector<Range> even(int points, int parts) {
  std::vector<int> counts;
  for (int n = 0; n < parts; ++n) counts.push_back(points / parts + (n < points % parts ? 1 : 0));
  return consecutive(counts);
}

std::vector<Range> given_strips(const Extent& grid, const std::vector<int>& widths, int ranks) {
  if (static_cast<int>(widths.size()) != ranks) {
    throw kit::UsageError("--decomp gives " + std::to_string(widths.size()) + " widths for " + std::to_string(ranks) +
                          " processes");
  }
  const long total = std::accumulate(widths.begin(), widths.end(), 0L);
  if (total != grid.nx) {
    throw kit::UsageError("the widths in --decomp add up to " + std::to_string(total) + ", the grid is " +
                          std::to_string(grid.nx) + " points wide");
  }
  return consecutive(widths);
}

// The number of columns for which the cut faces are smallest; 0 where none fits.
int best_columns(const Extent& grid, int ranks) {
  int best = 0;
  long smallest_cut = 0;
  for (int columns = 1; columns <= ranks; ++columns) {
    const int rows = ranks / columns;
    if (ranks % columns != 0 || columns > grid.nx || rows > grid.ny) continue;
    const long cut = static_cast<long>(columns - 1) * grid.ny + static_cast<long>(rows - 1) * grid.nx;
    if (best == 0 || cut < smallest_cut) {
      best = columns;
      smallest_cut = cut;
    }
  }
  return best;
}

}  // namespace

Decomposition::Decomposition(const Extent& grid, const Layout& layout, int ranks)
    : rows_(even(grid.ny, 1)), in_strips_(layout.in_strips) {
  if (!layout.in_strips) {
    const int columns = best_columns(grid, ranks);
    if (columns == 0) {
      throw kit::UsageError("a grid of " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) +
                            " points cannot be decomposed into " + std::to_string(ranks) + " blocks");
    }
    columns_ = even(grid.nx, columns);
    rows_ = even(grid.ny, ranks / columns);
  } else if (!layout.widths.empty()) {
    columns_ = given_strips(grid, layout.widths, ranks);
  } else if (grid.nx < ranks) {
    throw kit::UsageError("a grid " + std::to_string(grid.nx) + " points wide cannot be decomposed into " +
                          std::to_string(ranks) + " strips");
  } else {
    columns_ = even(grid.nx, ranks);
  }
}

Block Decomposition::block(int rank) const {
  const size_t rows = rows_.size();
  return {columns_[rank / rows], rows_[rank % rows]};
}

int Decomposition::neighbour(int rank, Side side) const {
  const int rows = static_cast<int>(rows_.size());
  const int columns = static_cast<int>(columns_.size());
  int column = rank / rows;
  int row = rank % rows;
  if (side == Side::west) --column;
  if (side == Side::east) ++column;
  if (side == Side::south) --row;
  if (side == Side::north) ++row;
  const bool in_the_sea = column >= 0 && column < columns && row >= 0 && row < rows;
  return in_the_sea ? column * rows + row : nobody;
}

std::string Decomposition::described() const {
  if (in_strips_) return "strips";
  return std::to_string(columns_.size()) + " x " + std::to_string(rows_.size()) + " blocks";
}

kit::FieldBlock field_block(const Block& block, const Extent& grid, int levels) {
  return {{grid.nx, levels, grid.ny},
          {block.x.first, 0, block.y.first},
          {block.x.count, levels, block.y.count},
          {block.x.count + 2, levels, block.y.count + 2},
          {1, 0, 1},
          {1, 0, 1}};
}

kit::FieldBlock bare_block(const Block& block, const Extent& grid) {
  const kit::Sizes count = {block.x.count, grid.nz, block.y.count};
  return {{grid.nx, grid.nz, grid.ny}, {block.x.first, 0, block.y.first}, count, count, {0, 0, 0}, {0, 0, 0}};
}

}  // namespace opatm
