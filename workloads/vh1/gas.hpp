// The gas on this process's pencils.
#pragma once

#include <vector>

#include "pencils.hpp"
#include "settings.hpp"
#include "sweep.hpp"

namespace vh1 {

class Gas {
 public:
  // As the problem begins. Zones are cubes; the axis of a shock tube, or x, is of length 1.
  Gas(const Settings& settings, const Pencils& pencils);

  double* zone(int i, int j, int k) { return values_.data() + offset(i, j, k); }
  const double* zone(int i, int j, int k) const { return values_.data() + offset(i, j, k); }

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  int nz() const { return nz_; }
  double width() const { return width_; }

  // The largest of |velocity| + sound along any axis, on this process.
  double fastest() const;

 private:
  size_t offset(int i, int j, int k) const { return ((static_cast<size_t>(k) * ny_ + j) * nx_ + i) * variables; }

  int nx_;
  int ny_;
  int nz_;
  double width_;
  std::vector<double> values_;  // density, pressure, velocities along x, y, z, flattening of each zone
};

}  // namespace vh1
