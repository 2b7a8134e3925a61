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

void work_out_rhs(const Ocean& ocean, Field& rhs, int member) {
  const Grid& grid = ocean.grid;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      rhs(i, j, member) = -grid.step_s * depth_m * grid.outflow(ocean.u_mean, ocean.v_mean, i, j);
    }
  }
}

// Adds what the pressure of the sea level's change does, to the means and to every level alike.
void push(Ocean& ocean, const Field& change, int member) {
  const Grid& grid = ocean.grid;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.corner_wet(i, j) == 0.0) continue;
      const double u = -gravity * grid.step_s * grid.gradient_x(change, i, j, member);
      const double v = -gravity * grid.step_s * grid.gradient_y(change, i, j, member);
      ocean.u_mean(i, j) += u;
      ocean.v_mean(i, j) += v;
      for (int k = 0; k < grid.extent.nz; ++k) {
        ocean.u(i, j, k) += u;
        ocean.v(i, j, k) += v;
      }
    }
  }
}

// From what flows in and out, rather than from the solver, so that no water is lost whatever its residual.
void move_sea_level(Ocean& ocean) {
  const Grid& grid = ocean.grid;
  ocean.sea_level_before = ocean.sea_level;
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      const double out = depth_m * grid.outflow(ocean.u_mean, ocean.v_mean, i, j);
      ocean.sea_level(i, j) -= grid.step_s * out / grid.area(j);
    }
  }
}

}  // namespace

[[gnu::noinline]] void barotropic(Ensemble& ensemble) {
  const Ocean& any = *ensemble.members[0];
  const int members = static_cast<int>(ensemble.members.size());
  Field rhs(any.grid.block, members), change(any.grid.block, members);
  for (const auto& ocean : ensemble.members) work_out_means(*ocean);
  ensemble.exchange({"barotropic", 1}, {&Ocean::u_mean, &Ocean::v_mean});
  for (int m = 0; m < members; ++m) work_out_rhs(*ensemble.members[m], rhs, m);
  const bool classical = any.settings.solver == Solver::standard;
  const std::vector<Solution> solutions = classical ? ensemble.solver.standard(rhs, change, ensemble.members[0]->halo)
                                                    : ensemble.solver.chrongear(rhs, change, ensemble.members[0]->halo);
  int most = 0;
  for (int m = 0; m < members; ++m) {
    Ocean& ocean = *ensemble.members[m];
    most = std::max(most, solutions[m].iterations);
    // A NaN must show, too, and std::max would drop it.
    if (!(solutions[m].residual <= ocean.largest_residual)) ocean.largest_residual = solutions[m].residual;
    push(ocean, change, m);
  }
  ensemble.iterations += most;
  ensemble.exchange({"barotropic", 2}, {&Ocean::u_mean, &Ocean::v_mean});
  ensemble.exchange({"barotropic", 3}, {&Ocean::u, &Ocean::v});
  for (const auto& ocean : ensemble.members) move_sea_level(*ocean);
  ensemble.exchange({"barotropic", 4}, {&Ocean::sea_level});
}

}  // namespace pop
