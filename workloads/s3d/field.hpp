// A quantity on this process's block, with room for its neighbours' outermost points on every side.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace s3d {

constexpr int ghosts = 5;            // the filter's width, the widest there is
constexpr int difference_width = 4;  // of the eighth-order difference

using Sizes = std::array<int, 3>;  // along x, y, z

class Field {
 public:
  explicit Field(const Sizes& sizes)
      : sizes_(sizes),
        strides_{1, sizes[0] + 2L * ghosts, (sizes[0] + 2L * ghosts) * (sizes[1] + 2L * ghosts)},
        values_(strides_[2] * (sizes[2] + 2 * ghosts), 0.0) {}

  const Sizes& sizes() const { return sizes_; }
  std::ptrdiff_t stride(int axis) const { return strides_[axis]; }

  // The row of points (0, j, k), (1, j, k), ...; every index may go from -ghosts to its size + ghosts.
  double* row(int j, int k) { return values_.data() + offset(j, k); }
  const double* row(int j, int k) const { return values_.data() + offset(j, k); }

 private:
  std::ptrdiff_t offset(int j, int k) const { return (k + ghosts) * strides_[2] + (j + ghosts) * strides_[1] + ghosts; }

  Sizes sizes_;
  std::array<std::ptrdiff_t, 3> strides_;
  std::vector<double> values_;
};

// Calls visit(j, k) for every row of the block.
template <typename Visit>
void for_each_row(const Sizes& sizes, Visit visit) {
  for (int k = 0; k < sizes[2]; ++k) {
    for (int j = 0; j < sizes[1]; ++j) visit(j, k);
  }
}

}  // namespace s3d
