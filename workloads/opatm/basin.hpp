// The sea and its weather, all prescribed: levels, flow, mixing, temperature, light.
//
// A closed rectangular basin with a flat bed. Every value is a function of the point's global position alone, so each
// process evaluates it for its own block, halo included, and all agree without a message.
#pragma once

#include <vector>

#include "decomposition.hpp"
#include "field.hpp"
#include "settings.hpp"

namespace opatm {

constexpr double step_s = 1800.0;
constexpr double spacing_km = 12.0;  // of the points, in x and y
constexpr double cell_m2 = spacing_km * spacing_km * 1e6;

constexpr double mixing_of_bed_m2_per_s = 1e-7;  // through its surface: what is dissolved seeps back

constexpr double basin_shortwave_w_per_m2 = 300.0;  // at the surface, at noon

// Water carried through the faces of the cells in half a step, as a thickness in m (volume over the cell's area), on
// the block and its halo. Nothing passes through the shores, the surface, or the bed.
struct Flow {
  Field east;   // (i, k, j): from cell (i-1, k, j) into (i, k, j)
  Field north;  // from cell (i, k, j-1)
  Field down;   // from cell (i, k-1, j)
};

class Basin {
 public:
  explicit Basin(const Extent& grid);

  const Extent& grid() const { return grid_; }
  // The last level is the bed: matter sinks into it and is turned over there, but the water does not move it.
  int water_levels() const { return grid_.nz - 1; }
  const std::vector<double>& thickness_m() const { return thickness_m_; }  // by level
  double depth_m(int k) const { return top_m_[k] + 0.5 * thickness_m_[k]; }

  // Discretely free of divergence: the difference of stream functions taken at the cells' edges (two gyres with eddies
  // in the horizontal, an overturning cell in the vertical). At most 0.12 of a cell passes through any face.
  Flow flow(const Block& block) const;

  // Eddy diffusivity through the top of cell k at global column (x, y), m^2/s; zero through surface and under the bed.
  double mixing_m2_per_s(int x, int y, int k) const;

  double temperature_c(int y, int k) const;
  // Short-wave light in the middle of level k in clear water, W/m^2, at the time of that step of the day.
  double light_w_per_m2(int k, int step) const;

 private:
  double gyre(int x, int y) const;         // stream function at the edge south-west of column (x, y)
  double overturning(int x, int k) const;  // at the edge above and west of cell (x, k)
  double largest_gyre_transport() const;
  double overturning_scale() const;

  Extent grid_;
  std::vector<double> thickness_m_;
  std::vector<double> top_m_;          // depth of each level's top; one more for the last one's bottom
  std::vector<double> surface_share_;  // of the gyres' speed, by level
};

}  // namespace opatm
