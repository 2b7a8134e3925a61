// A quantity on this process's tile, with a halo of three points on each side.
#pragma once

#include <cstddef>
#include <vector>

#include "tiles.hpp"

namespace wrf {

// Where in its cell a quantity is: in the middle, or in the middle of the western, southern or lower face. What crosses
// the channel's walls changes its sign in the mirror that a wall is.
enum class Staggering { cell, west_face, south_face, lower_face };

class Field {
 public:
  // On lower faces there is one level more: the lid.
  Field(const Tile& tile, int levels, Staggering staggering)
      : row_(tile.nx + 2 * halo_width),
        plane_(static_cast<size_t>(row_) * (tile.ny + 2 * halo_width)),
        levels_(levels + (staggering == Staggering::lower_face ? 1 : 0)),
        staggering_(staggering),
        values_(plane_ * levels_, 0.0) {}

  // i in -3..nx+2, j in -3..ny+2, k from the ground.
  double& operator()(int i, int j, int k) { return values_[offset(i, j, k)]; }
  double operator()(int i, int j, int k) const { return values_[offset(i, j, k)]; }

  int levels() const { return levels_; }
  Staggering staggering() const { return staggering_; }

 private:
  size_t offset(int i, int j, int k) const {
    return plane_ * k + static_cast<size_t>(j + halo_width) * row_ + (i + halo_width);
  }

  int row_;
  size_t plane_;
  int levels_;
  Staggering staggering_;
  std::vector<double> values_;
};

}  // namespace wrf
