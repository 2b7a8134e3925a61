#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pop {
namespace {

constexpr double radius_m = 6.371e6;
constexpr double rotation = 7.292e-5;  // rad/s
constexpr double degree = std::numbers::pi / 180.0;
constexpr double southern_wall = -70.0 * degree;
constexpr double span = 140.0 * degree;

}  // namespace

Grid::Grid(const Settings& settings, const Block& mine)
    : extent(settings.grid),
      block(mine),
      on_sphere(settings.problem == Case::gyres),
      dy(radius_m * span / extent.ny),
      step_s(std::min(1200.0 * std::max(dy / 40.5e3, 1.0), 3600.0)),
      wet(block, 1),
      corner_wet(block, 1) {
  double whole = 0.0;
  for (int k = 0; k < extent.nz; ++k) {
    const double share = static_cast<double>(k) / (extent.nz - 1);
    dz.push_back(1.0 + 20.0 * share * share);  // thin levels at the surface
    whole += dz.back();
  }
  double top = 0.0;
  for (double& thickness : dz) {
    thickness *= depth_m / whole;
    z.push_back(top + 0.5 * thickness);
    top += thickness;
  }
  const double spacing = 2.0 * std::numbers::pi * radius_m / extent.nx;
  for (int j = -halo_width; j < block.ny + halo_width; ++j) {
    const double corner = latitude(j) + 0.5 * span / extent.ny;
    corner_latitude_.push_back(corner);
    dx_.push_back(on_sphere ? spacing * std::cos(latitude(j)) : spacing);
    corner_dx_.push_back(on_sphere ? spacing * std::cos(corner) : spacing);
    coriolis_.push_back(on_sphere ? 2.0 * rotation * std::sin(corner) : 0.0);
    curvature_.push_back(on_sphere ? std::tan(corner) / radius_m : 0.0);
    for (int i = -halo_width; i < block.nx + halo_width; ++i) {
      const int x = block.x_first + i;
      const int y = block.y_first + j;
      const bool corner_is = is_water(x, y) && is_water(x + 1, y) && is_water(x, y + 1) && is_water(x + 1, y + 1);
      wet(i, j) = is_water(x, y) ? 1.0 : 0.0;
      corner_wet(i, j) = corner_is ? 1.0 : 0.0;
    }
  }
}

double Grid::latitude(int j) const { return southern_wall + span * (block.y_first + j + 0.5) / extent.ny; }

double Grid::longitude(int i) const {
  const int x = (block.x_first + i + extent.nx) % extent.nx;
  return 2.0 * std::numbers::pi * (x + 0.5) / extent.nx;
}

// The continent reaches from the northern wall to 40 degrees south, between 285 and 315 degrees east.
bool Grid::is_water(int x, int y) const {
  if (y < 0 || y >= extent.ny) return false;
  if (!on_sphere) return true;
  const double east = 360.0 * ((x + extent.nx) % extent.nx + 0.5) / extent.nx;
  const double north = (southern_wall + span * (y + 0.5) / extent.ny) / degree;
  return std::abs(east - 300.0) > 15.0 || north < -40.0;
}

}  // namespace pop
