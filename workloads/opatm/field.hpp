// A quantity on this process's block, with one point more on each side in x and y: the halo.
//
// South to north is contiguous in memory, then come the levels, then west to east: a cut face at constant x is one
// piece, and so is a level's row of it.
#pragma once

#include <algorithm>
#include <vector>

namespace opatm {

class Field {
 public:
  Field(int nx, int ny, int levels)
      : nx_(nx), ny_(ny), levels_(levels), values_(static_cast<size_t>(nx + 2) * levels * (ny + 2), 0.0) {}

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  int levels() const { return levels_; }

  // The row of points (i, k, ...), i in -1..nx, k in 0..levels-1; its element j may be taken for j in -1..ny.
  double* row(int i, int k) { return values_.data() + offset(i, k); }
  const double* row(int i, int k) const { return values_.data() + offset(i, k); }

  // All of them, halo included: nx + 2, levels, ny + 2.
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

  // The block itself without its halo, in the order of memory: nx * levels * ny values.
  void copy_block_to(double* target) const {
    for (int i = 0; i < nx_; ++i) {
      for (int k = 0; k < levels_; ++k, target += ny_) std::copy_n(row(i, k), ny_, target);
    }
  }

 private:
  size_t offset(int i, int k) const { return (static_cast<size_t>(i + 1) * levels_ + k) * (ny_ + 2) + 1; }

  int nx_;
  int ny_;
  int levels_;
  std::vector<double> values_;
};

}  // namespace opatm
