#include "atmosphere.hpp"

#include <algorithm>
#include <cmath>

namespace wrf {
namespace {

double base_theta(double z) { return 290.0 * std::exp(1.2e-5 * z); }

// The front between warm air in the south and cold air in the north, fading out towards the lid.
double front(const Extent& grid, double y, double z) {
  const double north = (y + 0.5) / grid.ny - 0.5;
  const double fading = z < 11.0e3 ? std::cos(0.5 * M_PI * z / 11.0e3) : 0.0;
  return -20.0 * std::tanh(7.0 * north) * fading;
}

// A warm patch that sets the wave off, and its like in the tracers.
double patch(const Extent& grid, double x, double y) {
  const double east = std::sin(M_PI * ((x + 0.5) / grid.nx - 0.4));
  const double north = (y + 0.5) / grid.ny - 0.47;
  return std::exp(-(8.0 * east * east + 120.0 * north * north));
}

// The density of a column that rests on itself in the discrete equations too: what holds the middle of two levels apart
// is the mean of their weights.
std::vector<double> resting_column(const std::vector<double>& theta, double dz) {
  std::vector<double> density;
  double below = 1.0e5;  // pressure at the ground
  for (double here : theta) {
    const double weight = density.empty() ? 0.0 : 0.5 * gravity * dz * density.back();
    double rho = density.empty() ? 1.2 : density.back();
    for (int n = 0; n < 30; ++n) {  // Newton's method; the pressure goes with density^1.4
      const double pressure = pressure_of(rho * here);
      const double error = pressure + 0.5 * gravity * dz * rho - (below - weight);
      rho -= error / (expansion * pressure / rho + 0.5 * gravity * dz);
    }
    below = pressure_of(rho * here);
    density.push_back(rho);
  }
  return density;
}

}  // namespace

double pressure_of(double heat) { return 1.0e5 * std::pow(gas_constant * heat / 1.0e5, expansion); }

State::State(const Tile& tile, int levels)
    : east(tile, levels, Staggering::west_face),
      north(tile, levels, Staggering::south_face),
      up(tile, levels, Staggering::lower_face),
      density(tile, levels, Staggering::cell),
      heat(density) {}

Diagnosis::Diagnosis(const Tile& tile, int levels)
    : u(tile, levels, Staggering::west_face),
      v(tile, levels, Staggering::south_face),
      w(tile, levels, Staggering::lower_face),
      theta(tile, levels, Staggering::cell),
      pressure(theta),
      stiffness(theta),
      divergence(theta),
      density(theta) {}

Atmosphere::Atmosphere(const Settings& chosen, const Tiles& tiles, int rank)
    : settings(chosen),
      tile(tiles.tile(rank)),
      exchange(tiles, rank),
      dx(breadth_m / settings.grid.ny),
      dz(top_m / settings.grid.nz),
      step_s(600.0 * std::min(dx / 1.0e5, 1.0)),
      now(tile, settings.grid.nz),
      air(tile, settings.grid.nz),
      tracers{cells(), cells(), cells(), cells()},
      mean_east(now.east),
      mean_north(now.north),
      mean_up(now.up) {
  const Extent& grid = settings.grid;
  std::vector<double> theta;
  for (int k = 0; k < nz(); ++k) theta.push_back(base_theta((k + 0.5) * dz));
  base.density = resting_column(theta, dz);
  for (int k = 0; k < nz(); ++k) {
    base.heat.push_back(base.density[k] * theta[k]);
    base.pressure.push_back(pressure_of(base.heat[k]));
  }
  const bool moving = settings.problem == Case::wave;
  // Of rows from one south of the tile to one north of it; beyond the walls what they mirror.
  std::vector<std::vector<double>> density, heat;
  for (int j = -1; j <= tile.ny; ++j) {
    const int y = std::min(std::max(tile.y_first + j, 0), grid.ny - 1);
    std::vector<double> row_theta(theta);
    for (int k = 0; k < nz(); ++k) row_theta[k] += moving ? front(grid, y, (k + 0.5) * dz) : 0.0;
    density.push_back(moving ? resting_column(row_theta, dz) : base.density);
    heat.push_back(base.heat);
    for (int k = 0; moving && k < nz(); ++k) heat.back()[k] = density.back()[k] * row_theta[k];
  }
  for (int k = 0; k < nz(); ++k) {
    for (int j = 0; j < tile.ny; ++j) {
      const double slope = (pressure_of(heat[j + 2][k]) - pressure_of(heat[j][k])) / (2.0 * dx);
      for (int i = 0; i < tile.nx; ++i) {
        const int x = tile.x_first + i;
        const int y = tile.y_first + j;
        const double warm = moving ? 2.0 * patch(grid, x, y) * std::exp(-(k + 0.5) * dz / 4.0e3) : 0.0;
        now.density(i, j, k) = density[j + 1][k] - base.density[k];
        now.heat(i, j, k) = heat[j + 1][k] - base.heat[k] + density[j + 1][k] * warm;
        now.east(i, j, k) = moving ? -slope / coriolis : 0.0;
        tracers[0](i, j, k) = (y + 0.5) / grid.ny;
        tracers[1](i, j, k) = (k + 0.5) / nz();
        tracers[2](i, j, k) = patch(grid, x, y);
        tracers[3](i, j, k) = 1.0;
      }
    }
  }
  exchange.update({"initial", 1}, halo_width, now.all());
}

[[gnu::noinline]] void diagnose(Atmosphere& atmosphere) {
  const Tile& tile = atmosphere.tile;
  const State& now = atmosphere.now;
  const Base& base = atmosphere.base;
  Diagnosis& air = atmosphere.air;
  const int nz = atmosphere.nz();
  for (int k = 0; k < nz; ++k) {
    const auto density = [&](int i, int j, int level) { return base.density[level] + now.density(i, j, level); };
    for (int j = 0; j < tile.ny; ++j) {
      for (int i = 0; i < tile.nx; ++i) {
        const double rho = density(i, j, k);
        const double heat = base.heat[k] + now.heat(i, j, k);
        const double pressure = pressure_of(heat);
        air.density(i, j, k) = rho;
        air.theta(i, j, k) = heat / rho;
        air.pressure(i, j, k) = pressure - base.pressure[k];
        air.stiffness(i, j, k) = expansion * pressure / heat;
        air.u(i, j, k) = now.east(i, j, k) / (0.5 * (density(i - 1, j, k) + rho));
        air.v(i, j, k) = now.north(i, j, k) / (0.5 * (density(i, j - 1, k) + rho));
        if (k > 0) air.w(i, j, k) = now.up(i, j, k) / (0.5 * (density(i, j, k - 1) + rho));
        air.divergence(i, j, k) =
            ((now.east(i + 1, j, k) - now.east(i, j, k)) + (now.north(i, j + 1, k) - now.north(i, j, k))) /
            atmosphere.dx;
      }
    }
  }
}

}  // namespace wrf
