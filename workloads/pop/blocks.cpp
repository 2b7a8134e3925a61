#include "blocks.hpp"

#include <algorithm>

#include "kit/evenly.hpp"
#include "kit/program.hpp"

namespace pop {
namespace {

bool fits(const Extent& grid, int columns, int rows) {
  return grid.nx / columns >= halo_width && grid.ny / rows >= halo_width;
}

// The number of columns for which a block has the fewest points in its halo; 0 where none fits.
int best_columns(const Extent& grid, int ranks) {
  int best = 0;
  double shortest = 0.0;
  for (int columns = 1; columns <= ranks; ++columns) {
    if (ranks % columns != 0 || !fits(grid, columns, ranks / columns)) continue;
    const double cut = static_cast<double>(grid.nx) / columns + static_cast<double>(grid.ny) * columns / ranks;
    if (best == 0 || cut < shortest) {
      best = columns;
      shortest = cut;
    }
  }
  return best;
}

std::string times(int one, int other) { return std::to_string(one) + " x " + std::to_string(other); }

int which(const std::vector<int>& first, int point) {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), point) - first.begin()) - 1;
}

}  // namespace

Blocks::Blocks(const Settings& settings, int ranks) {
  const Extent& grid = settings.grid;
  int columns = settings.columns;
  int rows = settings.rows;
  if (columns == 0) {
    columns = best_columns(grid, ranks);
    rows = columns == 0 ? 0 : ranks / columns;
  } else if (static_cast<long>(columns) * rows != ranks) {
    throw kit::UsageError("--blocks gives " + times(columns, rows) + " blocks for " + std::to_string(ranks) +
                          " processes");
  }
  if (columns == 0 || !fits(grid, columns, rows)) {
    throw kit::UsageError("a grid of " + times(grid.nx, grid.ny) + " points cannot be decomposed into " +
                          std::to_string(ranks) + " blocks of at least 2 x 2");
  }
  x_first_ = kit::evenly(grid.nx, columns);
  y_first_ = kit::evenly(grid.ny, rows);
}

Block Blocks::block(int rank) const {
  const int column = rank % columns();
  const int row = rank / columns();
  return {x_first_[column], x_first_[column + 1] - x_first_[column], y_first_[row], y_first_[row + 1] - y_first_[row]};
}

int Blocks::owner(int x, int y) const { return which(y_first_, y) * columns() + which(x_first_, x); }

}  // namespace pop
