// How strongly the water is mixed up and down: by wind and cooling in the mixed layer, by shear below it.

#include <algorithm>
#include <cmath>

#include "ocean.hpp"

namespace pop {
namespace {

// The depth at which the water is denser than at the surface by 1/8 kg/m^3.
double mixed_layer_depth(const Ocean& ocean, int i, int j) {
  const Grid& grid = ocean.grid;
  const double surface = density(ocean, i, j, 0);
  double above = 0.0;
  for (int k = 1; k < grid.extent.nz; ++k) {
    const double excess = density(ocean, i, j, k) - surface;
    if (excess >= 1.25e-4) {
      return grid.z[k - 1] + (1.25e-4 - above) / (excess - above) * grid.dz_between(k - 1);
    }
    above = std::max(excess, 0.0);
  }
  return depth_m;
}

double smoothed(const Grid& grid, const Field& field, int i, int j) {
  double sum = 0.0;
  double weights = 0.0;
  for (int b = -1; b <= 1; ++b) {
    for (int a = -1; a <= 1; ++a) {
      const double weight = (2 - std::abs(a)) * (2 - std::abs(b)) * grid.wet(i + a, j + b);
      sum += weight * field(i + a, j + b);
      weights += weight;
    }
  }
  return sum / weights;
}

// Of one velocity component over the four corners of a cell.
double shear(const Field& u, const Grid& grid, int i, int j, int k) {
  const double above = 0.25 * (u(i, j, k) + u(i - 1, j, k) + u(i, j - 1, k) + u(i - 1, j - 1, k));
  const double below = 0.25 * (u(i, j, k + 1) + u(i - 1, j, k + 1) + u(i, j - 1, k + 1) + u(i - 1, j - 1, k + 1));
  return (above - below) / grid.dz_between(k);
}

// After Pacanowski and Philander (1981); strong where the water would turn over.
double diffusivity(const Ocean& ocean, int i, int j, int k, double layer) {
  const Grid& grid = ocean.grid;
  const double stability = gravity * (density(ocean, i, j, k + 1) - density(ocean, i, j, k)) / grid.dz_between(k);
  const double u_shear = shear(ocean.u, grid, i, j, k);
  const double v_shear = shear(ocean.v, grid, i, j, k);
  const double richardson = std::max(stability, 0.0) / (u_shear * u_shear + v_shear * v_shear + 1e-8);
  const double share = (grid.z[k] + 0.5 * grid.dz_between(k)) / layer;
  const double in_layer = share < 1.0 ? 0.1 * share * (1.0 - share) * (1.0 - share) : 0.0;
  const double overturning = stability < 0.0 ? 0.1 : 0.0;
  return 1e-5 + 5e-3 / ((1.0 + 5.0 * richardson) * (1.0 + 5.0 * richardson)) + in_layer + overturning;
}

}  // namespace

// The depth of the mixed layer is smoothed over the neighbouring columns, hence the first exchange; the velocities need
// the diffusivity on all sides of a corner, hence the second.
[[gnu::noinline]] void mixing_coefficients(Ocean& ocean) {
  const Grid& grid = ocean.grid;
  Field layer(grid.block, 1);
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.wet(i, j) != 0.0) layer(i, j) = mixed_layer_depth(ocean, i, j);
    }
  }
  ocean.halo.update({"mixing_coefficients", 1}, {&layer});
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.wet(i, j) == 0.0) continue;
      const double depth = smoothed(grid, layer, i, j);
      for (int k = 0; k + 1 < grid.extent.nz; ++k) ocean.mixing(i, j, k) = diffusivity(ocean, i, j, k, depth);
    }
  }
  ocean.halo.update({"mixing_coefficients", 2}, {&ocean.mixing});
}

}  // namespace pop
