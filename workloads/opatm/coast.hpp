// A sea shaped somewhat like the Mediterranean, and the water that moves in it: what the generated input is made of.
//
// All is given on fine columns, of which the input may merge two by two. Every value is a formula of the place, so the
// same grid always gives the same input.
#pragma once

#include <vector>

#include "basin.hpp"

namespace opatm {

class Coast {
 public:
  // nx, ny: the fine columns. basin: for the levels.
  Coast(int nx, int ny, const Basin& basin);

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  // Levels of water; 0 on land. The level below them is the bed.
  int depth(int x, int y) const { return depth_[index(x, y, ny_)]; }

  // Water carried through the western, southern and upper face of a cell in half a step, as a thickness in m. Free of
  // divergence, since it is the difference of stream functions at the cells' edges; those are zero at every edge that
  // touches anything but water, so nothing passes into land or bed.
  double east(int x, int k, int y) const;
  double north(int x, int k, int y) const;
  double down(int x, int k, int y) const;

  double temperature_c(int x, int k, int y) const;
  double salinity(int x, int k, int y) const;         // g/kg
  double mixing_m2_per_s(int x, int k, int y) const;  // through the top of the cell
  double shortwave_w_per_m2(int x, int y) const;      // at the surface, at noon
  double wind_m_per_s(int x, int y) const;

 private:
  static size_t index(int x, int y, int rows) { return static_cast<size_t>(x) * rows + y; }
  double u(double x) const { return x / nx_; }
  double v(double y) const { return y / ny_; }

  int depth_at(double u, double v) const;
  std::vector<int> shore_distance() const;
  double gyre(int x, int y, int k) const;         // at the edge south-west of column (x, y)
  double overturning(int x, int y, int k) const;  // at the edge above and west of cell (x, k, y)
  void scale();

  int nx_, ny_;
  const Basin& basin_;
  std::vector<double> top_m_;    // depth of each level's top; one more for the last one's bottom
  std::vector<double> share_m_;  // of the gyres' transport, by level
  std::vector<int> depth_;       // by column
  std::vector<int> edge_depth_;  // least depth of the four columns around an edge south-west of a column
  std::vector<double> gyre_;     // there
  double overturning_scale_ = 1.0;
};

}  // namespace opatm
