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
enum Most : size_t { speed, unevenness, values };

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
double most_uneven(const Ocean& ocean) {
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

// Sums over this block: the area, the volume and the water above the mean sea level, the squares of sea level and
// speed, the seiche's share of the sea level, and the content and square of every tracer.
std::vector<double> sums(const Ocean& ocean) {
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

std::vector<double> sums(const Ensemble& ensemble) {
  std::vector<double> all;
  for (const auto& ocean : ensemble.members) {
    const std::vector<double> one = sums(*ocean);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::vector<double> extremes(const Ensemble& ensemble) {
  std::vector<double> all;
  for (const auto& ocean : ensemble.members) all.insert(all.end(), {fastest(*ocean), most_uneven(*ocean)});
  return all;
}

// ", sea level 1.2e-01 m, speed ... m/s, tracers ... ..."
std::string state(const double* sum, size_t tracers) {
  const double volume = sum[Sum::area] * depth_m;
  std::string figures = text(", sea level %.14e m", std::sqrt(sum[Sum::level_square] / sum[Sum::area])) +
                        text(", speed %.14e m/s, tracers", std::sqrt(sum[Sum::speed_square] / volume));
  for (size_t n = 0; n < tracers; ++n) figures += text(" %.14e", std::sqrt(sum[Sum::tracers + 2 * n + 1] / volume));
  return figures;
}

// Of the seiche, as a share of what it was at the beginning.
double amplitude(const Ocean& ocean, const double* sum) {
  return sum[Sum::seiche] / sum[Sum::seiche_square] / (1e-3 * perturbation(ocean.member));
}

// A NaN counts as the greatest, so that it shows.
void raise(double& largest, double value) {
  if (!(value <= largest)) largest = value;
}

}  // namespace

Budget::Budget(const Ensemble& ensemble) : beginning_(sums(ensemble)) {}

Budget::Result Budget::compare(const Ensemble& ensemble) const {
  const std::vector<double> before = over_ranks(beginning_, MPI_SUM);
  const std::vector<double> after = over_ranks(sums(ensemble), MPI_SUM);
  const std::vector<double> most = over_ranks(extremes(ensemble), MPI_MAX);
  const size_t members = ensemble.members.size();
  const size_t length = after.size() / members;
  double volume_error = 0.0, tracer_error = 0.0, residual = 0.0, fastest = 0.0, unevenness = 0.0, seiche_error = 0.0;
  for (size_t m = 0; m < members; ++m) {
    const Ocean& ocean = *ensemble.members[m];
    const double* old = before.data() + m * length;
    const double* now = after.data() + m * length;
    raise(volume_error, std::abs(now[Sum::water] - old[Sum::water]) / (now[Sum::area] * depth_m));
    for (size_t n = Sum::tracers; n < length; n += 2) raise(tracer_error, std::abs(now[n] - old[n]) / old[n]);
    raise(residual, ocean.largest_residual);
    raise(fastest, most[m * Most::values + Most::speed]);
    raise(unevenness, most[m * Most::values + Most::unevenness]);
    raise(seiche_error, std::abs(amplitude(ocean, now) - expected_seiche(ocean)));
  }
  const Ocean& first = *ensemble.members[0];
  Result result;
  result.figures = text("volume error %.1e", volume_error) + text(", tracer error %.1e", tracer_error) +
                   text(", residual %.1e", residual) + state(after.data(), first.tracers.size());
  if (members > 1)
    result.figures += ", last member" + state(after.data() + (members - 1) * length, first.tracers.size()).substr(1);
  if (!(volume_error <= tolerated_loss)) result.failures += " volume is not conserved;";
  if (!(tracer_error <= tolerated_loss)) result.failures += " a tracer is not conserved;";
  if (!(residual <= FreeSurfaceSolver::tolerance)) {
    result.failures += " the solver did not converge in 200 iterations;";
  }
  if (!(fastest <= fastest_m_per_s)) result.failures += " the water exceeds 20 m/s;";
  if (first.settings.problem == Case::gyres) return result;
  result.figures +=
      text(", seiche at %.6f", amplitude(first, after.data())) + text(" for %.6f", expected_seiche(first));
  if (!(seiche_error <= tolerated_seiche_error)) result.failures += " the seiche's period is wrong;";
  if (!(unevenness <= tolerated_loss)) result.failures += " a uniform tracer is no longer uniform;";
  return result;
}

}  // namespace pop
