#include "coast.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace opatm {
namespace {

constexpr double pi = std::numbers::pi;
// Of a fine cell, by either stream function. Two fine faces make a merged one, and four columns a merged column, so at
// most 0.12 of a merged cell passes through any face.
constexpr double most_of_a_cell = 0.12;
constexpr int open_sea_columns = 8;  // as far from the shore the gyres have their full strength
constexpr double degrees_wide = 45.0, degrees_high = 16.0;

// Islands and peninsulas: ellipses with a centre, half axes (in degrees) and a slope (degrees north per degree east).
struct Land {
  double east, north, half_length, half_width, slope;
};
constexpr Land lands[] = {
    {18.5, 12.5, 1.3, 4.6, -0.55},  // Italy
    {28.5, 10.5, 1.9, 4.2, -0.10},  // Greece
    {19.5, 6.8, 1.6, 0.8, 0.0},     // Sicily
    {14.2, 9.8, 0.7, 1.4, 0.0},     // Sardinia
    {14.3, 12.3, 0.5, 0.9, 0.0},    // Corsica
    {30.5, 4.9, 1.5, 0.4, 0.0},     // Crete
    {38.5, 5.0, 1.3, 0.6, 0.3},     // Cyprus
    {8.0, 9.2, 0.8, 0.5, 0.3},      // the Balearics
};

// Roughly how far inside the sea a place is, in degrees; zero or negative on land.
double inside(double u, double v) {
  const double east = u * degrees_wide;
  const double north = v * degrees_high;
  const double northern = 13.6 + 1.4 * std::sin(2 * pi * (1.6 * u - 0.05)) - 5.5 * std::max(0.0, u - 0.72);
  const double southern = 3.6 - 2.6 * u + 1.8 * std::exp(-std::pow((u - 0.25) / 0.16, 2));
  double distance = std::min({north - southern, northern - north, east - 0.8, degrees_wide - 1.2 - east});
  for (const Land& land : lands) {
    const double across = east - land.east - land.slope * (north - land.north);
    const double along = north - land.north;
    const double radius = std::hypot(across / land.half_length, along / land.half_width);
    distance = std::min(distance, (radius - 1.0) * std::min(land.half_length, land.half_width));
  }
  return distance;
}

}  // namespace

Coast::Coast(int nx, int ny, const Basin& basin)
    : nx_(nx),
      ny_(ny),
      basin_(basin),
      top_m_{0.0},
      depth_(static_cast<size_t>(nx) * ny),
      edge_depth_(static_cast<size_t>(nx + 1) * (ny + 1), 0),
      gyre_(edge_depth_.size(), 0.0) {
  for (int k = 0; k < basin.grid().nz; ++k) {
    top_m_.push_back(top_m_.back() + basin.thickness_m()[k]);
    share_m_.push_back(k < basin.water_levels() ? basin.thickness_m()[k] * std::exp(-basin.depth_m(k) / 800.0) : 0.0);
  }
  for (int x = 0; x < nx; ++x) {
    for (int y = 0; y < ny; ++y) depth_[index(x, y, ny)] = depth_at(u(x + 0.5), v(y + 0.5));
  }
  const std::vector<int> distance = shore_distance();
  for (int x = 1; x < nx; ++x) {
    for (int y = 1; y < ny; ++y) {
      int least = basin.grid().nz;
      int nearest = open_sea_columns;
      for (const auto& [a, b] : {std::pair{x - 1, y - 1}, {x - 1, y}, {x, y - 1}, {x, y}}) {
        least = std::min(least, depth(a, b));
        nearest = std::min(nearest, distance[index(a, b, ny)]);
      }
      const double strength = static_cast<double>(nearest) / open_sea_columns;
      edge_depth_[index(x, y, ny + 1)] = least;
      gyre_[index(x, y, ny + 1)] = strength * (std::sin(2 * pi * u(x)) * std::sin(pi * v(y)) +
                                               0.4 * std::sin(7 * pi * u(x)) * std::sin(3 * pi * v(y)));
    }
  }
  scale();
}

// A shelf, a slope, and two deep basins with a sill between them.
int Coast::depth_at(double u, double v) const {
  const double distance = inside(u, v);
  if (distance <= 0.0) return 0;
  const double sill = 1.0 - 0.75 * std::exp(-std::pow((u - 0.45) / 0.04, 2));
  const double part = std::min(1.0, 0.04 + 0.45 * distance * sill);
  const double depth_m = part * top_m_[basin_.water_levels()];
  int levels = 0;
  while (levels < basin_.water_levels() && top_m_[levels] < depth_m) ++levels;
  return std::max(levels, std::min(2, basin_.water_levels()));
}

// Of each column of water to the nearest land, in columns along x or y, by two sweeps; 0 on land.
std::vector<int> Coast::shore_distance() const {
  std::vector<int> distance(depth_.size());
  const auto at = [&](int x, int y) { return x < 0 || y < 0 || x >= nx_ || y >= ny_ ? 0 : distance[index(x, y, ny_)]; };
  for (int x = 0; x < nx_; ++x) {
    for (int y = 0; y < ny_; ++y) {
      distance[index(x, y, ny_)] = depth(x, y) == 0 ? 0 : 1 + std::min(at(x - 1, y), at(x, y - 1));
    }
  }
  for (int x = nx_ - 1; x >= 0; --x) {
    for (int y = ny_ - 1; y >= 0; --y) {
      int& here = distance[index(x, y, ny_)];
      here = std::min({here, 1 + at(x + 1, y), 1 + at(x, y + 1)});
    }
  }
  return distance;
}

double Coast::gyre(int x, int y, int k) const {
  const size_t edge = index(x, y, ny_ + 1);
  return edge_depth_[edge] > k ? gyre_[edge] : 0.0;
}

double Coast::overturning(int x, int y, int k) const {
  if (k <= 0 || x <= 0 || x >= nx_ || std::min(depth(x - 1, y), depth(x, y)) <= k) return 0.0;
  return overturning_scale_ * std::sin(2 * pi * u(x)) * std::sin(pi * top_m_[k] / top_m_[basin_.water_levels()]) *
         (0.5 + 0.5 * std::sin(pi * v(y + 0.5)));
}

// So that either stream function carries the allowed part of a cell through the face where it carries most.
void Coast::scale() {
  double swiftest = 0.0;   // gyres, relative to the thickness of the cell
  double strongest = 0.0;  // overturning
  for (int x = 0; x < nx_; ++x) {
    for (int y = 0; y < ny_; ++y) {
      for (int k = 0; k < depth(x, y); ++k) {
        const double cell_m = basin_.thickness_m()[k];
        const double eastward = share_m_[k] * (gyre(x, y + 1, k) - gyre(x, y, k));
        const double northward = share_m_[k] * (gyre(x + 1, y, k) - gyre(x, y, k));
        swiftest = std::max({swiftest, std::abs(eastward) / cell_m, std::abs(northward) / cell_m});
        const double here = overturning(x, y, k);
        const double thinnest_m = k > 0 ? std::min(basin_.thickness_m()[k - 1], cell_m) : cell_m;
        strongest = std::max({strongest, std::abs(overturning(x, y, k + 1) - here) / cell_m,
                              std::abs(overturning(x + 1, y, k) - here) / thinnest_m});
      }
    }
  }
  for (double& value : gyre_) value *= swiftest > 0.0 ? most_of_a_cell / swiftest : 0.0;
  overturning_scale_ = strongest > 0.0 ? most_of_a_cell / strongest : 0.0;
}

double Coast::east(int x, int k, int y) const {
  return share_m_[k] * (gyre(x, y + 1, k) - gyre(x, y, k)) + (overturning(x, y, k + 1) - overturning(x, y, k));
}

double Coast::north(int x, int k, int y) const { return -share_m_[k] * (gyre(x + 1, y, k) - gyre(x, y, k)); }

double Coast::down(int x, int k, int y) const { return -(overturning(x + 1, y, k) - overturning(x, y, k)); }

double Coast::temperature_c(int x, int k, int y) const {
  const double surface = 22.0 - 4.0 * v(y + 0.5) + 2.0 * u(x + 0.5);
  return 13.0 + (surface - 13.0) * std::exp(-basin_.depth_m(k) / 60.0);
}

double Coast::salinity(int x, int k, int) const {
  return 38.5 - (2.2 - 2.4 * u(x + 0.5)) * std::exp(-basin_.depth_m(k) / 150.0);
}

double Coast::mixing_m2_per_s(int x, int k, int y) const {
  if (k == 0) return 0.0;
  const double mixed_layer_m = 30.0 + 15.0 * std::sin(3 * pi * u(x + 0.5)) * std::cos(2 * pi * v(y + 0.5));
  return 2e-5 + 1e-2 / (1.0 + std::exp((top_m_[k] - mixed_layer_m) / 5.0));
}

double Coast::shortwave_w_per_m2(int, int y) const { return 320.0 - 40.0 * v(y + 0.5); }

double Coast::wind_m_per_s(int x, int y) const {
  return 6.0 + 3.0 * std::sin(2 * pi * u(x + 0.5)) * std::cos(pi * v(y + 0.5));
}

}  // namespace opatm
