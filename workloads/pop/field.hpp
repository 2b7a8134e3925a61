// A quantity on this process's block, with a halo of two points on each side.
#pragma once

#include <cstddef>
#include <vector>

#include "blocks.hpp"

namespace pop {

class Field {
 public:
  Field(const Block& block, int levels)
      : row_(block.nx + 2 * halo_width),
        plane_(static_cast<size_t>(row_) * (block.ny + 2 * halo_width)),
        levels_(levels),
        values_(plane_ * levels, 0.0) {}

  // i in -2..nx+1, j in -2..ny+1, k in 0..levels-1.
  double& operator()(int i, int j, int k = 0) { return values_[offset(i, j, k)]; }
  double operator()(int i, int j, int k = 0) const { return values_[offset(i, j, k)]; }

  int levels() const { return levels_; }
  double* level(int k) { return values_.data() + plane_ * k; }
  size_t offset_in_level(int i, int j) const { return offset(i, j, 0); }

 private:
  size_t offset(int i, int j, int k) const {
    return plane_ * k + static_cast<size_t>(j + halo_width) * row_ + (i + halo_width);
  }

  int row_;
  size_t plane_;
  int levels_;
  std::vector<double> values_;
};

}  // namespace pop
