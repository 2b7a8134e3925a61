#include "basin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace opatm {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double most_of_a_cell = 0.12;
constexpr double bed_m = 1.0;

double fraction(int n, int of) { return static_cast<double>(n) / of; }

}  // namespace

Basin::Basin(const Extent& grid)
    : grid_(grid), thickness_m_(grid.nz), top_m_(grid.nz + 1, 0.0), surface_share_(grid.nz) {
  for (int k = 0; k < grid.nz; ++k) {
    const double s = fraction(k, water_levels());
    thickness_m_[k] = k < water_levels() ? 3.0 + 140.0 * s * s : bed_m;
    top_m_[k + 1] = top_m_[k] + thickness_m_[k];
    surface_share_[k] = k < water_levels() ? std::exp(-depth_m(k) / 800.0) : 0.0;
  }
}

double Basin::gyre(int x, int y) const {
  if (x <= 0 || y <= 0 || x >= grid_.nx || y >= grid_.ny) return 0.0;  // exactly: the shore is a stream line
  const double u = fraction(x, grid_.nx);
  const double v = fraction(y, grid_.ny);
  return std::sin(pi * u) * std::sin(2 * pi * v) + 0.15 * std::sin(5 * pi * u) * std::sin(3 * pi * v);
}

double Basin::overturning(int x, int k) const {
  if (x <= 0 || x >= grid_.nx || k <= 0 || k >= water_levels()) return 0.0;
  return std::sin(2 * pi * fraction(x, grid_.nx)) * std::sin(pi * top_m_[k] / top_m_[water_levels()]);
}

double Basin::largest_gyre_transport() const {
  double largest = 0.0;
  std::vector<double> before(grid_.ny + 1, 0.0);
  for (int x = 1; x <= grid_.nx; ++x) {
    double south = 0.0;
    for (int y = 1; y <= grid_.ny; ++y) {
      const double here = gyre(x, y);
      largest = std::max({largest, std::abs(here - south), std::abs(here - before[y])});
      south = before[y] = here;
    }
  }
  return largest;
}

// The factor for which the overturning carries at most the allowed part of the thinner cell through any face.
double Basin::overturning_scale() const {
  double largest = 0.0;
  for (int x = 0; x < grid_.nx; ++x) {
    for (int k = 0; k < water_levels(); ++k) {
      const double here = overturning(x, k);
      const double downward = std::abs(overturning(x + 1, k) - here);
      const double eastward = std::abs(overturning(x, k + 1) - here);
      const double thinnest = k > 0 ? std::min(thickness_m_[k - 1], thickness_m_[k]) : thickness_m_[k];
      largest = std::max({largest, downward / thinnest, eastward / thickness_m_[k]});
    }
  }
  return largest > 0.0 ? most_of_a_cell / largest : 0.0;
}

Flow Basin::flow(const Block& block) const {
  const Field empty(block.x.count, block.y.count, grid_.nz);
  Flow flow{empty, empty, empty};
  const double largest = largest_gyre_transport();
  const double gyres = largest > 0.0 ? most_of_a_cell / largest : 0.0;
  const double turning = overturning_scale();
  // Half of each, so that the two together stay within the allowed part of a cell in the horizontal.
  for (int i = -1; i <= block.x.count; ++i) {
    const int x = block.x.first + i;
    if (x < 0 || x >= grid_.nx) continue;  // on land; the shore's faces carry nothing and belong to the cells inside
    for (int j = -1; j <= block.y.count; ++j) {
      const int y = block.y.first + j;
      if (y < 0 || y >= grid_.ny) continue;
      const double across = 0.5 * turning * (0.5 + 0.5 * std::sin(pi * (y + 0.5) / grid_.ny));
      const double gyre_east = 0.5 * gyres * (gyre(x, y + 1) - gyre(x, y));
      const double gyre_north = -0.5 * gyres * (gyre(x + 1, y) - gyre(x, y));
      for (int k = 0; k < grid_.nz; ++k) {
        const double share_m = thickness_m_[k] * surface_share_[k];
        flow.east.row(i, k)[j] = share_m * gyre_east + across * (overturning(x, k + 1) - overturning(x, k));
        flow.north.row(i, k)[j] = share_m * gyre_north;
        flow.down.row(i, k)[j] = -across * (overturning(x + 1, k) - overturning(x, k));
      }
    }
  }
  return flow;
}

double Basin::mixing_m2_per_s(int x, int y, int k) const {
  if (k <= 0 || k >= grid_.nz) return 0.0;
  if (k == water_levels()) return mixing_of_bed_m2_per_s;
  const double mixed_layer_m =
      30.0 + 15.0 * std::sin(3 * pi * fraction(x, grid_.nx)) * std::cos(2 * pi * fraction(y, grid_.ny));
  return 2e-5 + 1e-2 / (1.0 + std::exp((top_m_[k] - mixed_layer_m) / 5.0));
}

double Basin::temperature_c(int y, int k) const {
  return 13.0 + (9.0 - 3.0 * fraction(y, grid_.ny)) * std::exp(-depth_m(k) / 60.0);
}

double Basin::light_w_per_m2(int k, int step) const {
  constexpr int steps_a_day = 48;
  const double hour_angle = 2 * pi * fraction(step % steps_a_day, steps_a_day);
  const double at_surface = basin_shortwave_w_per_m2 * std::max(0.05, std::cos(hour_angle));  // a run begins at noon
  return at_surface * std::exp(-0.045 * depth_m(k));
}

}  // namespace opatm
