#include "acoustic.hpp"

#include "stand_in.hpp"

namespace wrf {
namespace {

constexpr double damping = 0.05;      // of divergence, in units of spacing^2 per acoustic step
constexpr double share_after = 0.55;  // of the new values in what is implicit; a little more than half quiets sound
constexpr double share_before = 0.45;

void subtract(const Tile& tile, const Field& one, const Field& other, Field& target) {
  for (int k = 0; k < target.levels(); ++k) {
    for (int j = 0; j < tile.ny; ++j) {
      for (int i = 0; i < tile.nx; ++i) target(i, j, k) = one(i, j, k) - other(i, j, k);
    }
  }
}

void add(const Tile& tile, const Field& source, Field& target) {
  for (int k = 0; k < target.levels(); ++k) {
    for (int j = 0; j < tile.ny; ++j) {
      for (int i = 0; i < tile.nx; ++i) target(i, j, k) += source(i, j, k);
    }
  }
}

// In one column, over what lies between the levels: lower * x[k-1] + middle * x[k] + upper * x[k+1] = right, in place.
struct Tridiagonal {
  explicit Tridiagonal(int n) : lower(n), middle(n), upper(n), right(n) {}

  void solve(int first, int last) {
    for (int k = first; k <= last; ++k) {
      const double before = k > first ? upper[k - 1] : 0.0;
      const double pivot = middle[k] - lower[k] * before;
      upper[k] /= pivot;
      right[k] = (right[k] - (k > first ? lower[k] * right[k - 1] : 0.0)) / pivot;
    }
    for (int k = last - 1; k >= first; --k) right[k] -= upper[k] * right[k + 1];
  }

  std::vector<double> lower, middle, upper, right;
};

}  // namespace

Acoustics::Acoustics(Atmosphere& atmosphere, const State& begins)
    : atmosphere_(atmosphere),
      deviation_(atmosphere.tile, atmosphere.nz()),
      pressure_(atmosphere.cells()),
      sum_east_(deviation_.east),
      sum_north_(deviation_.north),
      sum_up_(deviation_.up) {
  const State& now = atmosphere.now;
  subtract(atmosphere.tile, begins.east, now.east, deviation_.east);
  subtract(atmosphere.tile, begins.north, now.north, deviation_.north);
  subtract(atmosphere.tile, begins.up, now.up, deviation_.up);
  subtract(atmosphere.tile, begins.density, now.density, deviation_.density);
  subtract(atmosphere.tile, begins.heat, now.heat, deviation_.heat);
}

// In the halo, too.
void Acoustics::work_out_pressure() {
  const Tile& tile = atmosphere_.tile;
  for (int k = 0; k < atmosphere_.nz(); ++k) {
    for (int j = -1; j <= tile.ny; ++j) {
      for (int i = -1; i <= tile.nx; ++i) {
        pressure_(i, j, k) = atmosphere_.air.stiffness(i, j, k) * deviation_.heat(i, j, k);
      }
    }
  }
}

void Acoustics::run(const State& rates, int steps, double dt) {
  const Tile& tile = atmosphere_.tile;
  computed(atmosphere_, Part::begin, [&] { work_out_pressure(); });
  for (int step = 0; step < steps; ++step) {
    computed(atmosphere_, Part::push, [&] { push_horizontally(rates, dt); });
    atmosphere_.exchange.update({"acoustic", 1}, 1, {&deviation_.east, &deviation_.north});
    computed(atmosphere_, Part::rise, [&] {
      add(tile, deviation_.east, sum_east_);
      add(tile, deviation_.north, sum_north_);
      rise(rates, dt);
    });
    atmosphere_.exchange.update(
        {"acoustic", 2}, 1,
        {&deviation_.up, &deviation_.density, &deviation_.heat, &pressure_, &sum_east_, &sum_north_});
  }
  computed(atmosphere_, Part::end, [&] { finish(steps); });
}

// The horizontal momenta, from the pressure before this step.
void Acoustics::push_horizontally(const State& rates, double dt) {
  const Tile& tile = atmosphere_.tile;
  const State& d = deviation_;
  const double dx = atmosphere_.dx;
  const double damped = damping * dx * dx / dt;
  Field divergence(atmosphere_.cells());
  for (int k = 0; k < atmosphere_.nz(); ++k) {
    // One cell towards west and south too, whose momenta the halo holds.
    for (int j = -1; j < tile.ny; ++j) {
      for (int i = -1; i < tile.nx; ++i) {
        divergence(i, j, k) =
            ((d.east(i + 1, j, k) - d.east(i, j, k)) + (d.north(i, j + 1, k) - d.north(i, j, k))) / dx +
            (d.up(i, j, k + 1) - d.up(i, j, k)) / atmosphere_.dz;
      }
    }
    for (int j = 0; j < tile.ny; ++j) {
      const bool wall = atmosphere_.at_southern_wall() && j == 0;
      for (int i = 0; i < tile.nx; ++i) {
        const auto force = [&](int a, int b) {
          return (pressure_(i - a, j - b, k) - pressure_(i, j, k) +
                  damped * (divergence(i, j, k) - divergence(i - a, j - b, k))) /
                 dx;
        };
        deviation_.east(i, j, k) += dt * (rates.east(i, j, k) + force(1, 0));
        if (!wall) deviation_.north(i, j, k) += dt * (rates.north(i, j, k) + force(0, 1));
      }
    }
  }
}

// Density, heat and the vertical momentum of every column, implicitly; then the pressure that follows.
void Acoustics::rise(const State& rates, double dt) {
  const Tile& tile = atmosphere_.tile;
  const Diagnosis& air = atmosphere_.air;
  State& d = deviation_;
  const int nz = atmosphere_.nz();
  const double dx = atmosphere_.dx;
  const double dz = atmosphere_.dz;
  const double sound = dt * dt * share_after * share_after / (dz * dz);
  const double sinking = 0.5 * dt * dt * gravity * share_after * share_after / dz;
  std::vector<double> density(nz), heat(nz), density_mean(nz), heat_mean(nz), theta(nz + 1, 0.0), mean(nz + 1, 0.0);
  Tridiagonal system(nz);
  for (int j = 0; j < tile.ny; ++j) {
    for (int i = 0; i < tile.nx; ++i) {
      for (int k = 1; k < nz; ++k) theta[k] = 0.5 * (air.theta(i, j, k - 1) + air.theta(i, j, k));
      for (int k = 0; k < nz; ++k) {
        // With the horizontal momenta's share of this step, and the old vertical one's.
        const auto x_heat = [&](int a) {
          return d.east(a, j, k) * 0.5 * (air.theta(a - 1, j, k) + air.theta(a, j, k));
        };
        const auto y_heat = [&](int b) {
          return d.north(i, b, k) * 0.5 * (air.theta(i, b - 1, k) + air.theta(i, b, k));
        };
        const double out = (d.east(i + 1, j, k) - d.east(i, j, k)) + (d.north(i, j + 1, k) - d.north(i, j, k));
        const double heat_out = (x_heat(i + 1) - x_heat(i)) + (y_heat(j + 1) - y_heat(j));
        density[k] = d.density(i, j, k) + dt * (rates.density(i, j, k) - out / dx);
        heat[k] = d.heat(i, j, k) + dt * (rates.heat(i, j, k) - heat_out / dx);
        const double rising = d.up(i, j, k + 1) - d.up(i, j, k);
        const double heat_rising = theta[k + 1] * d.up(i, j, k + 1) - theta[k] * d.up(i, j, k);
        density_mean[k] =
            share_after * (density[k] - dt * share_before * rising / dz) + share_before * d.density(i, j, k);
        heat_mean[k] = share_after * (heat[k] - dt * share_before * heat_rising / dz) + share_before * d.heat(i, j, k);
      }
      for (int k = 1; k < nz; ++k) {
        const double above = air.stiffness(i, j, k);
        const double below = air.stiffness(i, j, k - 1);
        system.lower[k] = -sound * below * theta[k - 1] + sinking;
        system.middle[k] = 1.0 + sound * (above + below) * theta[k];
        system.upper[k] = -sound * above * theta[k + 1] - sinking;
        system.right[k] =
            d.up(i, j, k) + dt * (rates.up(i, j, k) - (above * heat_mean[k] - below * heat_mean[k - 1]) / dz -
                                  0.5 * gravity * (density_mean[k] + density_mean[k - 1]));
      }
      system.solve(1, nz - 1);
      for (int k = 1; k < nz; ++k) {
        mean[k] = share_after * system.right[k] + share_before * d.up(i, j, k);
        d.up(i, j, k) = system.right[k];
        sum_up_(i, j, k) += mean[k];
      }
      for (int k = 0; k < nz; ++k) {
        d.density(i, j, k) = density[k] - dt * (mean[k + 1] - mean[k]) / dz;
        d.heat(i, j, k) = heat[k] - dt * (theta[k + 1] * mean[k + 1] - theta[k] * mean[k]) / dz;
        pressure_(i, j, k) = air.stiffness(i, j, k) * d.heat(i, j, k);
      }
    }
  }
}

// The mean momenta are needed at the eastern and northern faces of the tile too, whose sums the halo holds.
void Acoustics::finish(int steps) {
  const Tile& tile = atmosphere_.tile;
  State& now = atmosphere_.now;
  for (int k = 0; k <= atmosphere_.nz(); ++k) {
    for (int j = 0; j <= tile.ny; ++j) {
      for (int i = 0; i <= tile.nx; ++i) {
        if (k < atmosphere_.nz()) {
          atmosphere_.mean_east(i, j, k) = now.east(i, j, k) + sum_east_(i, j, k) / steps;
          atmosphere_.mean_north(i, j, k) = now.north(i, j, k) + sum_north_(i, j, k) / steps;
        }
        atmosphere_.mean_up(i, j, k) = now.up(i, j, k) + sum_up_(i, j, k) / steps;
      }
    }
  }
  add(tile, deviation_.east, now.east);
  add(tile, deviation_.north, now.north);
  add(tile, deviation_.up, now.up);
  add(tile, deviation_.density, now.density);
  add(tile, deviation_.heat, now.heat);
}

}  // namespace wrf
