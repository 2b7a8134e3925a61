// The velocities a step later, but for the pressure of the sea level's change.
//
// Half a step ahead, then the whole step with what was found there (midpoint rule); the turning by the earth's rotation
// is implicit. Then horizontal friction (biharmonic) and vertical friction with the wind on top.

#include <cmath>

#include "ocean.hpp"

namespace pop {
namespace {

// Over the reference density, m^2/s^2, of the sea level and the water; on the block and one cell towards north and
// east.
void work_out_pressure(const Ocean& ocean, Field& pressure) {
  const Grid& grid = ocean.grid;
  for (int j = 0; j <= grid.block.ny; ++j) {
    for (int i = 0; i <= grid.block.nx; ++i) {
      double above = gravity * (ocean.sea_level(i, j) + 0.5 * density(ocean, i, j, 0) * grid.dz[0]);
      pressure(i, j, 0) = above;
      for (int k = 1; k < grid.extent.nz; ++k) {
        const double upper = density(ocean, i, j, k - 1) * grid.dz[k - 1];
        above += 0.5 * gravity * (upper + density(ocean, i, j, k) * grid.dz[k]);
        pressure(i, j, k) = above;
      }
    }
  }
}

// Of the water through the top of the cells, m/s; on the same cells.
void work_out_rising(const Grid& grid, const Field& u, const Field& v, Field& rising) {
  for (int j = 0; j <= grid.block.ny; ++j) {
    for (int i = 0; i <= grid.block.nx; ++i) {
      double below = 0.0;
      for (int k = grid.extent.nz - 1; k >= 0; --k) {
        below -= grid.dz[k] * grid.outflow(u, v, i, j, k) / grid.area(j);
        rising(i, j, k) = below;
      }
    }
  }
}

// -(u d/dx + v d/dy + w d/dz) of a component; upstream-biased in the horizontal, of third order.
class Carried {
 public:
  Carried(const Grid& grid, const Field& u, const Field& v, const Field& rising)
      : grid_(grid), u_(u), v_(v), rising_(rising) {}

  double operator()(const Field& c, int i, int j, int k) const {
    const double u = u_(i, j, k);
    const double v = v_(i, j, k);
    const double in_x = u > 0.0 ? 2.0 * c(i + 1, j, k) + 3.0 * c(i, j, k) - 6.0 * c(i - 1, j, k) + c(i - 2, j, k)
                                : 6.0 * c(i + 1, j, k) - c(i + 2, j, k) - 3.0 * c(i, j, k) - 2.0 * c(i - 1, j, k);
    const double in_y = v > 0.0 ? 2.0 * c(i, j + 1, k) + 3.0 * c(i, j, k) - 6.0 * c(i, j - 1, k) + c(i, j - 2, k)
                                : 6.0 * c(i, j + 1, k) - c(i, j + 2, k) - 3.0 * c(i, j, k) - 2.0 * c(i, j - 1, k);
    double in_z = 0.0;
    if (k > 0) in_z += 0.5 * rising_at(i, j, k) * (c(i, j, k - 1) - c(i, j, k)) / grid_.dz_between(k - 1);
    if (k + 1 < grid_.extent.nz) {
      in_z += 0.5 * rising_at(i, j, k + 1) * (c(i, j, k) - c(i, j, k + 1)) / grid_.dz_between(k);
    }
    return -(u * in_x / (6.0 * grid_.corner_dx(j)) + v * in_y / (6.0 * grid_.dy) + in_z);
  }

 private:
  double rising_at(int i, int j, int k) const {
    return 0.25 * (rising_(i, j, k) + rising_(i + 1, j, k) + rising_(i, j + 1, k) + rising_(i + 1, j + 1, k));
  }

  const Grid& grid_;
  const Field& u_;
  const Field& v_;
  const Field& rising_;
};

// From the step's velocities over `dt`, with the forces of the velocities `u_there` and `v_there`.
void accelerate(const Ocean& ocean, const Field& pressure, const Field& u_there, const Field& v_there, double dt,
                Field& u_new, Field& v_new) {
  const Grid& grid = ocean.grid;
  Field rising(grid.block, grid.extent.nz);
  work_out_rising(grid, u_there, v_there, rising);
  const Carried carried(grid, u_there, v_there, rising);
  for (int k = 0; k < grid.extent.nz; ++k) {
    for (int j = 0; j < grid.block.ny; ++j) {
      const double turn = 0.5 * dt * grid.coriolis(j);
      for (int i = 0; i < grid.block.nx; ++i) {
        if (grid.corner_wet(i, j) == 0.0) continue;
        const double u = u_there(i, j, k);
        const double v = v_there(i, j, k);
        const double along_x =
            carried(u_there, i, j, k) + u * v * grid.curvature(j) - grid.gradient_x(pressure, i, j, k);
        const double along_y =
            carried(v_there, i, j, k) - u * u * grid.curvature(j) - grid.gradient_y(pressure, i, j, k);
        const double to_x = ocean.u(i, j, k) + turn * ocean.v(i, j, k) + dt * along_x;
        const double to_y = ocean.v(i, j, k) - turn * ocean.u(i, j, k) + dt * along_y;
        u_new(i, j, k) = (to_x + turn * to_y) / (1.0 + turn * turn);
        v_new(i, j, k) = (to_y - turn * to_x) / (1.0 + turn * turn);
      }
    }
  }
}

double laplacian(const Field& c, int i, int j, int k) {
  return ((c(i + 1, j, k) + c(i - 1, j, k)) + (c(i, j + 1, k) + c(i, j - 1, k))) - 4.0 * c(i, j, k);
}

// target = the block of `c`, less the Laplacian of its Laplacian; both in units of the grid's spacing.
void smooth(const Grid& grid, const Field& c, Field& target) {
  constexpr double strength = 0.005;  // the shortest waves lose 64 times this share in a step
  Field curvature(grid.block, 1);
  for (int k = 0; k < grid.extent.nz; ++k) {
    for (int j = -1; j <= grid.block.ny; ++j) {
      for (int i = -1; i <= grid.block.nx; ++i) curvature(i, j) = grid.corner_wet(i, j) * laplacian(c, i, j, k);
    }
    for (int j = 0; j < grid.block.ny; ++j) {
      for (int i = 0; i < grid.block.nx; ++i) {
        target(i, j, k) = grid.corner_wet(i, j) * (c(i, j, k) - strength * laplacian(curvature, i, j, 0));
      }
    }
  }
}

// Eastward, m^2/s^2: trade winds, westerlies, polar easterlies.
double wind_stress(const Grid& grid, int j) { return -1e-4 * std::cos(3.0 * grid.corner_latitude(j)); }

void mix_vertically(Ocean& ocean) {
  constexpr double background = 1e-3;  // m^2/s
  constexpr double drag = 1e-3;        // m/s
  const Grid& grid = ocean.grid;
  const int nz = grid.extent.nz;
  std::vector<double> exchange(nz, 0.0), u(nz), v(nz);
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.corner_wet(i, j) == 0.0) continue;
      for (int k = 0; k < nz; ++k) {
        u[k] = ocean.u(i, j, k);
        v[k] = ocean.v(i, j, k);
        if (k + 1 == nz) continue;
        const Field& mixing = ocean.mixing;
        const double around =
            0.25 * (mixing(i, j, k) + mixing(i + 1, j, k) + mixing(i, j + 1, k) + mixing(i + 1, j + 1, k));
        exchange[k] = grid.step_s * (background + around) / grid.dz_between(k);
      }
      u[0] += grid.step_s * wind_stress(grid, j) / grid.dz[0];
      mix_column(grid.dz, exchange, grid.step_s * drag, u);
      mix_column(grid.dz, exchange, grid.step_s * drag, v);
      for (int k = 0; k < nz; ++k) {
        ocean.u(i, j, k) = u[k];
        ocean.v(i, j, k) = v[k];
      }
    }
  }
}

}  // namespace

[[gnu::noinline]] void momentum(Ocean& ocean) {
  const Grid& grid = ocean.grid;
  Field pressure(grid.block, grid.extent.nz);
  work_out_pressure(ocean, pressure);
  Field u_half(grid.block, grid.extent.nz), v_half(u_half), u_whole(u_half), v_whole(u_half);
  accelerate(ocean, pressure, ocean.u, ocean.v, 0.5 * grid.step_s, u_half, v_half);
  ocean.halo.update({"momentum", 1}, {&u_half, &v_half});
  accelerate(ocean, pressure, u_half, v_half, grid.step_s, u_whole, v_whole);
  if (!grid.on_sphere) {  // the seiche's water has no friction
    ocean.u = u_whole;
    ocean.v = v_whole;
    return;
  }
  ocean.halo.update({"momentum", 2}, {&u_whole, &v_whole});
  smooth(grid, u_whole, ocean.u);
  smooth(grid, v_whole, ocean.v);
  mix_vertically(ocean);
}

}  // namespace pop
