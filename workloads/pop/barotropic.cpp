// The change of the sea level, implicit so that its fast waves do not limit the step, and what follows from it.

#include <algorithm>

#include "ocean.hpp"

namespace pop {
namespace {

void work_out_means(Ocean& ocean) {
  const Grid& grid = ocean.grid;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      double u = 0.0;
      double v = 0.0;
      for (int k = 0; k < grid.extent.nz; ++k) {
        u += ocean.u(i, j, k) * grid.dz[k];
        v += ocean.v(i, j, k) * grid.dz[k];
      }
      ocean.u_mean(i, j) = u / depth_m;
      ocean.v_mean(i, j) = v / depth_m;
    }
  }
}

// Adds what the pressure of the sea level's change does, to the means and to every level alike.
void push(Ocean& ocean, const Field& change) {
  const Grid& grid = ocean.grid;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.corner_wet(i, j) == 0.0) continue;
      const double u = -gravity * grid.step_s * grid.gradient_x(change, i, j);
      const double v = -gravity * grid.step_s * grid.gradient_y(change, i, j);
      ocean.u_mean(i, j) += u;
      ocean.v_mean(i, j) += v;
      for (int k = 0; k < grid.extent.nz; ++k) {
        ocean.u(i, j, k) += u;
        ocean.v(i, j, k) += v;
      }
    }
  }
}

}  // namespace

[[gnu::noinline]] void barotropic(Ocean& ocean) {
  const Grid& grid = ocean.grid;
  work_out_means(ocean);
  ocean.halo.update({"barotropic", 1}, {&ocean.u_mean, &ocean.v_mean});
  Field rhs(grid.block, 1), change(grid.block, 1);
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      rhs(i, j) = -grid.step_s * depth_m * grid.outflow(ocean.u_mean, ocean.v_mean, i, j);
    }
  }
  const bool classical = ocean.settings.solver == Solver::standard;
  const Solution solution =
      classical ? ocean.solver.standard(rhs, change, ocean.halo) : ocean.solver.chrongear(rhs, change, ocean.halo);
  ocean.iterations += solution.iterations;
  // A number that is none has to show too, and std::max would drop it.
  if (!(solution.residual <= ocean.largest_residual)) ocean.largest_residual = solution.residual;
  push(ocean, change);
  ocean.halo.update({"barotropic", 2}, {&ocean.u_mean, &ocean.v_mean});
  ocean.halo.update({"barotropic", 3}, {&ocean.u, &ocean.v});
  // From what flows in and out, rather than from the solver, so that no water is lost whatever its residual.
  ocean.sea_level_before = ocean.sea_level;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      const double out = depth_m * grid.outflow(ocean.u_mean, ocean.v_mean, i, j);
      ocean.sea_level(i, j) -= grid.step_s * out / grid.area(j);
    }
  }
  ocean.halo.update({"barotropic", 4}, {&ocean.sea_level});
}

}  // namespace pop
