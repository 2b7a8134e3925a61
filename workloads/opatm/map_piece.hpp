// A piece of a block's map: some of its values in the block's order (x, level, y), and where they belong in the map of
// the whole sea.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "decomposition.hpp"
#include "settings.hpp"

namespace opatm {

struct MapPiece {
  Block block;
  size_t first;  // of the block's values
  size_t count;
  const double* values;

  // Calls visit(place in the map, values, count) for each run of values that stay neighbours in the map.
  template <typename Visit>
  void for_each_run(const Extent& grid, Visit visit) const {
    const auto ny = static_cast<size_t>(grid.ny), width = static_cast<size_t>(block.y.count);
    const size_t origin = static_cast<size_t>(block.x.first) * grid.nz * ny + block.y.first;
    for (size_t at = first; at < first + count;) {
      const size_t column = at % width;
      const size_t run = width == ny ? count : std::min(width - column, first + count - at);
      visit(origin + at / width * ny + column, values + (at - first), run);
      at += run;
    }
  }

  // Calls visit(first, count, values) for each box (x, level, y) of the map; at most five.
  template <typename Visit>
  void for_each_box(const Extent& grid, Visit visit) const {
    const auto nz = static_cast<size_t>(grid.nz), row = static_cast<size_t>(block.y.count), plane = nz * row;
    for (size_t at = first; at < first + count;) {
      const size_t left = first + count - at, x = at / plane, k = at / row % nz, y = at % row;
      std::array<size_t, 3> box = {1, 1, std::min(row - y, left)};
      if (y == 0 && left >= row) box = {1, std::min(nz - k, left / row), row};
      if (y == 0 && k == 0 && left >= plane) box = {left / plane, nz, row};
      const auto from = [](size_t place, int origin) { return static_cast<int64_t>(place) + origin; };
      visit(std::array<int64_t, 3>{from(x, block.x.first), from(k, 0), from(y, block.y.first)},
            std::array<int64_t, 3>{from(box[0], 0), from(box[1], 0), from(box[2], 0)}, values + (at - first));
      at += box[0] * box[1] * box[2];
    }
  }
};

}  // namespace opatm
