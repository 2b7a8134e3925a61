#include "budget.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

namespace pop {
namespace {

constexpr double tolerated_loss = 1e-12;
constexpr double tolerated_seiche_error = 1e-4;
constexpr double fastest_m_per_s = 20.0;

enum Sum : size_t { area, water, level_square, speed_square, seiche, seiche_square, tracers };

std::vector<double> over_ranks(const std::vector<double>& mine, MPI_Op operation) {
  std::vector<double> all(mine.size());
  MPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
  return all;
}

double fastest(const Ocean& ocean) {
  double square = 0.0;
  for (int k = 0; k < ocean.grid.extent.nz; ++k) {
    for (int j = 0; j < ocean.grid.block.ny; ++j) {
      for (int i = 0; i < ocean.grid.block.nx; ++i) {
        const double here = ocean.u(i, j, k) * ocean.u(i, j, k) + ocean.v(i, j, k) * ocean.v(i, j, k);
        if (!(here <= square)) square = here;
      }
    }
  }
  return std::sqrt(square);
}

// How far temperature and salinity are from the values they had everywhere.
double unevenness(const Ocean& ocean) {
  double largest = 0.0;
  for (int k = 0; k < ocean.grid.extent.nz; ++k) {
    for (int j = 0; j < ocean.grid.block.ny; ++j) {
      for (int i = 0; i < ocean.grid.block.nx; ++i) {
        largest = std::max(largest, std::abs(ocean.tracers[0](i, j, k) - 10.0) / 10.0);
        largest = std::max(largest, std::abs(ocean.tracers[1](i, j, k) - 35.0) / 35.0);
      }
    }
  }
  return largest;
}

double seiche_wave(const Grid& grid, int j) { return std::cos(M_PI * (grid.block.y_first + j + 0.5) / grid.extent.ny); }

// What is left of the wave's amplitude. Each step multiplies by 1 / (1 - i frequency step): the time scheme is
// implicit.
double expected_seiche(const Ocean& ocean) {
  const Grid& grid = ocean.grid;
  const double wave_number = 2.0 * std::sin(0.5 * M_PI / grid.extent.ny) / grid.dy;
  const double turn = std::sqrt(gravity * depth_m) * wave_number * grid.step_s;
  return std::pow(std::complex<double>(1.0, -turn), -ocean.settings.steps).real();
}

std::string text(const char* format, double value) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

}  // namespace

Budget::Budget(const Ocean& ocean) : beginning_(sums(ocean)) {}

std::vector<double> Budget::sums(const Ocean& ocean) {
  const Grid& grid = ocean.grid;
  std::vector<double> sum(Sum::tracers + 2 * ocean.tracers.size(), 0.0);
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.wet(i, j) == 0.0) continue;
      const double level = ocean.sea_level(i, j);
      sum[Sum::area] += grid.area(j);
      sum[Sum::water] += grid.area(j) * level;
      sum[Sum::level_square] += grid.area(j) * level * level;
      sum[Sum::seiche] += level * seiche_wave(grid, j);
      sum[Sum::seiche_square] += seiche_wave(grid, j) * seiche_wave(grid, j);
      for (int k = 0; k < grid.extent.nz; ++k) {
        const double volume = grid.area(j) * (grid.dz[k] + (k == 0 ? level : 0.0));
        const double u = ocean.u(i, j, k);
        const double v = ocean.v(i, j, k);
        sum[Sum::speed_square] += grid.area(j) * grid.dz[k] * (u * u + v * v);
        for (size_t n = 0; n < ocean.tracers.size(); ++n) {
          const double value = ocean.tracers[n](i, j, k);
          sum[Sum::tracers + 2 * n] += volume * value;
          sum[Sum::tracers + 2 * n + 1] += volume * value * value;
        }
      }
    }
  }
  return sum;
}

Budget::Result Budget::compare(const Ocean& ocean) const {
  const std::vector<double> before = over_ranks(beginning_, MPI_SUM);
  const std::vector<double> after = over_ranks(sums(ocean), MPI_SUM);
  const std::vector<double> most = over_ranks({fastest(ocean), unevenness(ocean)}, MPI_MAX);
  const double volume = after[Sum::area] * depth_m;
  const double volume_error = std::abs(after[Sum::water] - before[Sum::water]) / volume;
  double tracer_error = 0.0;
  std::vector<double> roots;
  for (size_t n = Sum::tracers; n < after.size(); n += 2) {
    const double error = std::abs(after[n] - before[n]) / before[n];
    if (!(error <= tracer_error)) tracer_error = error;
    roots.push_back(std::sqrt(after[n + 1] / volume));
  }
  const double level = std::sqrt(after[Sum::level_square] / after[Sum::area]);
  const double speed = std::sqrt(after[Sum::speed_square] / volume);
  Result result;
  result.figures = text("volume error %.1e", volume_error) + text(", tracer error %.1e", tracer_error) +
                   text(", residual %.1e", ocean.largest_residual) + text(", sea level %.14e m", level) +
                   text(", speed %.14e m/s, tracers", speed);
  for (double root : roots) result.figures += text(" %.14e", root);
  if (!(volume_error <= tolerated_loss)) result.failures += " water was lost;";
  if (!(tracer_error <= tolerated_loss)) result.failures += " a tracer was lost;";
  if (!(ocean.largest_residual <= FreeSurfaceSolver::tolerance)) {
    result.failures += " the solver did not converge in 200 iterations;";
  }
  if (!(most[0] <= fastest_m_per_s)) result.failures += " the water is faster than 20 m/s;";
  if (ocean.settings.problem == Case::gyres) return result;
  const double amplitude = after[Sum::seiche] / after[Sum::seiche_square] / 1e-3;
  const double expected = expected_seiche(ocean);
  result.figures += text(", seiche at %.6f", amplitude) + text(" for %.6f", expected);
  if (!(std::abs(amplitude - expected) <= tolerated_seiche_error)) result.failures += " the seiche's period is wrong;";
  if (!(most[1] <= tolerated_loss)) result.failures += " an even tracer became uneven;";
  return result;
}

}  // namespace pop
