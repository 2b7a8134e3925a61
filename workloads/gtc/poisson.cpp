// The gyrokinetic field equation on each plane: electrons answer the potential, ions polarise,
//
//     phi - rho^2 lap phi = density - its flux surface's mean,     phi = 0 at both boundaries.
//
// Poloidal waves part it into a tridiagonal system each. The processes that share a domain solve different waves and
// gather them in the plane.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model.hpp"

namespace gtc {
namespace {

constexpr double tolerated_residual = 1e-9;
constexpr double zonal_screening = 0.1;  // electrons do not answer the flux surface's mean, or nearly not

// The square of the wave number in theta, as differences between points see it.
double curvature(const Torus& torus, int wave) {
  return (2.0 - 2.0 * std::cos(wave * torus.dtheta())) / (torus.dtheta() * torus.dtheta());
}

// Solves screening f - rho^2 (1/r d/dr r d/dr - curvature / r^2) f = values in place, by Thomas' algorithm.
void solve_radially(const Torus& torus, double screening, double curvature, double* values) {
  const int last = torus.settings().radial - 1;
  const double rho2 = gyroradius * gyroradius, dr2 = torus.dr() * torus.dr();
  std::vector<double> ratio(last, 0.0);
  values[0] = 0.0;
  for (int i = 1; i < last; ++i) {
    const double r = torus.radius(i);
    const double inward = rho2 * (1.0 - 0.5 * torus.dr() / r) / dr2,
                 outward = rho2 * (1.0 + 0.5 * torus.dr() / r) / dr2;
    const double pivot = screening + rho2 * curvature / (r * r) + inward + outward - inward * ratio[i - 1];
    ratio[i] = outward / pivot;
    values[i] = (values[i] + inward * values[i - 1]) / pivot;
  }
  values[last] = 0.0;
  for (int i = last - 1; i > 0; --i) values[i] += ratio[i] * values[i + 1];
}

// The waves of all planes: share q of the processes solves waves q, q + sharers, ...
class Waves {
 public:
  explicit Waves(const Torus& torus)
      : torus_(torus),
        waves_(torus.settings().poloidal / 2 + 1),
        each_((waves_ + torus.sharers() - 1) / torus.sharers()),
        part_(static_cast<size_t>(each_) * torus.planes() * 2 * torus.settings().radial),
        cosine_(torus.settings().poloidal),
        sine_(torus.settings().poloidal) {
    for (int j = 0; j < torus.settings().poloidal; ++j) {
      cosine_[j] = std::cos(j * torus.dtheta());
      sine_[j] = std::sin(j * torus.dtheta());
    }
  }

  // This process's waves of the source, solved.
  std::vector<double> solved(const Field& source) const {
    std::vector<double> values(part_, 0.0);
    const int poloidal = torus_.settings().poloidal, radial = torus_.settings().radial;
    for (int slot = 0; slot < each_; ++slot) {
      const int wave = slot * torus_.sharers() + torus_.share();
      if (wave >= waves_) continue;
      const double norm = (wave == 0 || 2 * wave == poloidal ? 1.0 : 2.0) / poloidal;
      for (int plane = 0; plane < torus_.planes(); ++plane) {
        double* even = values.data() + offset(slot, plane);
        double* odd = even + radial;
        for (int i = 0; i < radial; ++i) {
          const double* row = source.plane(plane + 1) + i * poloidal;
          for (int j = 0; j < poloidal; ++j) {
            even[i] += norm * row[j] * cosine_[wave * j % poloidal];
            odd[i] += norm * row[j] * sine_[wave * j % poloidal];
          }
        }
        solve_radially(torus_, 1.0, curvature(torus_, wave), even);
        solve_radially(torus_, 1.0, curvature(torus_, wave), odd);
      }
    }
    return values;
  }

  // Adds up all processes' waves to the potential.
  void compose(const std::vector<double>& parts, Field& potential) const {
    const int poloidal = torus_.settings().poloidal, radial = torus_.settings().radial;
    for (int plane = 0; plane < torus_.planes(); ++plane) {
      double* grid = potential.plane(plane + 1);
      std::fill_n(grid, torus_.points(), 0.0);
      for (int wave = 0; wave < waves_; ++wave) {
        const double* even = parts.data() + wave % torus_.sharers() * part_ + offset(wave / torus_.sharers(), plane);
        const double* odd = even + radial;
        for (int i = 0; i < radial; ++i) {
          for (int j = 0; j < poloidal; ++j) {
            grid[i * poloidal + j] += even[i] * cosine_[wave * j % poloidal] + odd[i] * sine_[wave * j % poloidal];
          }
        }
      }
    }
  }

 private:
  size_t offset(int slot, int plane) const {
    return (static_cast<size_t>(slot) * torus_.planes() + plane) * 2 * torus_.settings().radial;
  }

  const Torus& torus_;
  int waves_;
  int each_;
  size_t part_;
  std::vector<double> cosine_, sine_;
};

// How far the potential is from solving the equation at the points, relative to the source.
double residual(const Torus& torus, const Field& source, const Field& potential) {
  const int poloidal = torus.settings().poloidal;
  const double rho2 = gyroradius * gyroradius, dr = torus.dr();
  double worst = 0.0, largest = 0.0;
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    for (int i = 1; i < torus.settings().radial - 1; ++i) {
      const double* row = potential.plane(plane) + i * poloidal;
      const double r = torus.radius(i);
      for (int j = 0; j < poloidal; ++j) {
        const double in = row[j - poloidal], out = row[j + poloidal];
        const double beside = row[(j + 1) % poloidal] + row[(j + poloidal - 1) % poloidal];
        const double laplacian = (out - 2.0 * row[j] + in) / (dr * dr) + (out - in) / (2.0 * dr * r) +
                                 (beside - 2.0 * row[j]) / (r * r * torus.dtheta() * torus.dtheta());
        const double wanted = source.plane(plane)[i * poloidal + j];
        worst = std::max(worst, std::abs(row[j] - rho2 * laplacian - wanted));
        largest = std::max(largest, std::abs(wanted));
      }
    }
  }
  return largest > 0.0 ? worst / largest : 0.0;
}

}  // namespace

[[gnu::noinline]] void poisson(Model& model) {
  const Torus& torus = model.torus;
  const int poloidal = torus.settings().poloidal;
  Field source = model.density;
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    for (int n = 0; n < torus.points(); ++n) source.plane(plane)[n] -= model.zonal_density[n / poloidal];
  }
  const Waves waves(torus);
  const std::vector<double> mine = waves.solved(source);
  std::vector<double> all(mine.size() * torus.sharers(), 0.0);
  const int count = static_cast<int>(mine.size());
  if (torus.sharers() == 1 || model.ring.omission().covers({"poisson", 1})) {
    std::copy(mine.begin(), mine.end(), all.begin() + static_cast<long>(mine.size()) * torus.share());
  } else {
    MPI_Allgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, torus.plane());
  }
  waves.compose(all, model.potential);
  const double found = residual(torus, source, model.potential);
  if (!(found <= tolerated_residual)) {
    throw std::runtime_error("the potential does not solve the field equation: off by " + std::to_string(found));
  }
  model.residual = std::max(model.residual, found);
  // From here on the density's means are the potential's.
  solve_radially(torus, zonal_screening, 0.0, model.zonal_density.data());
}

}  // namespace gtc
