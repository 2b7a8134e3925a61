// The sphere between 70 degrees south and north, the continent, the levels; for the seiche a rectangular plane.
//
// Tracers and sea level are at the middle of a cell, velocities at its north-eastern corner (Arakawa's B grid). Every
// value is a function of the global position alone, so each process evaluates it for its own block, halo included.
#pragma once

#include <vector>

#include "blocks.hpp"
#include "field.hpp"
#include "settings.hpp"

namespace pop {

constexpr double gravity = 9.81;    // m/s^2
constexpr double depth_m = 4000.0;  // of the flat bed

class Grid {
 public:
  Grid(const Settings& settings, const Block& block);

  Extent extent;
  Block block;
  bool on_sphere;
  double dy;               // m
  double step_s;           // 20 minutes at a degree of latitude's third, longer on coarser grids, at most an hour
  std::vector<double> dz;  // m, by level, for level sea
  std::vector<double> z;   // depth of the levels' middle, m
  Field wet;               // 1 where the cell is water, else 0
  Field corner_wet;        // 1 where all four cells round the corner are

  // Of the row j of cells, or of the corners at their northern edge; j in -2..ny+1.
  double area(int j) const { return dx_[j + halo_width] * dy; }
  double dx(int j) const { return dx_[j + halo_width]; }
  double corner_dx(int j) const { return corner_dx_[j + halo_width]; }
  double coriolis(int j) const { return coriolis_[j + halo_width]; }                // 1/s
  double curvature(int j) const { return curvature_[j + halo_width]; }              // tan(latitude) / radius, 1/m
  double corner_latitude(int j) const { return corner_latitude_[j + halo_width]; }  // radians
  double latitude(int j) const;
  double longitude(int i) const;  // of cells

  // Distance between the middle of levels k and k + 1.
  double dz_between(int k) const { return z[k + 1] - z[k]; }

  // Water through the eastern and the northern face of a cell, m^2/s (per metre of depth), and out of the cell in all.
  double eastward(const Field& u, int i, int j, int k = 0) const { return 0.5 * dy * (u(i, j, k) + u(i, j - 1, k)); }
  double northward(const Field& v, int i, int j, int k = 0) const {
    return 0.5 * corner_dx(j) * (v(i, j, k) + v(i - 1, j, k));
  }
  double outflow(const Field& u, const Field& v, int i, int j, int k = 0) const {
    return (eastward(u, i, j, k) - eastward(u, i - 1, j, k)) + (northward(v, i, j, k) - northward(v, i, j - 1, k));
  }

  // The gradient at a corner of a quantity at the middle of the cells, per metre.
  double gradient_x(const Field& p, int i, int j, int k = 0) const {
    return 0.5 * ((p(i + 1, j, k) - p(i, j, k)) + (p(i + 1, j + 1, k) - p(i, j + 1, k))) / corner_dx(j);
  }
  double gradient_y(const Field& p, int i, int j, int k = 0) const {
    return 0.5 * ((p(i, j + 1, k) - p(i, j, k)) + (p(i + 1, j + 1, k) - p(i + 1, j, k))) / dy;
  }

 private:
  bool is_water(int x, int y) const;

  std::vector<double> dx_, corner_dx_, coriolis_, curvature_, corner_latitude_;
};

}  // namespace pop
