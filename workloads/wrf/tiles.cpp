#include "tiles.hpp"

#include <string>

#include "kit/evenly.hpp"
#include "kit/program.hpp"

namespace wrf {
namespace {

bool fits(const Extent& grid, int columns, int rows) {
  return grid.nx / columns >= halo_width && grid.ny / rows >= halo_width;
}

// The most square cut that fits, with at least as many rows as columns; else any that fits; 0 where none does.
int best_columns(const Extent& grid, int ranks) {
  int best = 0;
  for (int columns = 1; columns <= ranks; ++columns) {
    if (ranks % columns != 0 || !fits(grid, columns, ranks / columns)) continue;
    if (best == 0 || columns * columns <= ranks) best = columns;
  }
  return best;
}

std::string times(int one, int other) { return std::to_string(one) + " x " + std::to_string(other); }

}  // namespace

Tiles::Tiles(const Settings& settings, int ranks) {
  const Extent& grid = settings.grid;
  int columns = settings.columns;
  int rows = settings.rows;
  if (columns == 0) {
    columns = best_columns(grid, ranks);
    rows = columns == 0 ? 0 : ranks / columns;
  } else if (static_cast<long>(columns) * rows != ranks) {
    throw kit::UsageError("--tiles gives " + times(columns, rows) + " tiles for " + std::to_string(ranks) +
                          " processes");
  }
  if (columns == 0 || !fits(grid, columns, rows)) {
    throw kit::UsageError("a grid of " + times(grid.nx, grid.ny) + " points cannot be decomposed into " +
                          std::to_string(ranks) + " tiles of at least 3 x 3");
  }
  x_first_ = kit::evenly(grid.nx, columns);
  y_first_ = kit::evenly(grid.ny, rows);
  const int sizes[2] = {rows, columns};
  const int closes[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, closes, 0, &ring_);
}

Tile Tiles::tile(int rank) const {
  const int column = rank % columns();
  const int row = rank / columns();
  return {x_first_[column], x_first_[column + 1] - x_first_[column], y_first_[row], y_first_[row + 1] - y_first_[row]};
}

}  // namespace wrf
