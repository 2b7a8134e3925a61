#include "solver.hpp"

#include <mpi.h>

#include <cmath>

namespace pop {
namespace {

void add_multiple(const Grid& grid, Field& target, double factor, const Field& source) {
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) target(i, j) += factor * source(i, j);
  }
}

// target = source + factor * target
void extend(const Grid& grid, Field& target, double factor, const Field& source) {
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) target(i, j) = source(i, j) + factor * target(i, j);
  }
}

double sum_over_ranks(double mine) {
  double sum = 0.0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

bool time_to_check(int iteration) { return iteration % FreeSurfaceSolver::iterations_between_checks == 0; }

}  // namespace

FreeSurfaceSolver::FreeSurfaceSolver(const Grid& grid)
    : grid_(grid),
      centre_(grid.block, 1),
      north_(grid.block, 1),
      east_(grid.block, 1),
      north_east_(grid.block, 1),
      residual_(grid.block, 1),
      preconditioned_(grid.block, 1),
      direction_(grid.block, 1),
      product_(grid.block, 1),
      along_(grid.block, 1) {
  // What each of a corner's two gradients adds: depth * area of the corner / (4 * spacing^2).
  const double factor = 0.25 * gravity * grid.step_s * grid.step_s * depth_m;
  const auto by_x = [&](int i, int j) { return factor * grid.dy / grid.corner_dx(j) * grid.corner_wet(i, j); };
  const auto by_y = [&](int i, int j) { return factor * grid.corner_dx(j) / grid.dy * grid.corner_wet(i, j); };
  const auto both = [&](int i, int j) { return by_x(i, j) + by_y(i, j); };
  const auto less = [&](int i, int j) { return by_x(i, j) - by_y(i, j); };
  for (int j = -1; j < grid.block.ny; ++j) {
    for (int i = -1; i < grid.block.nx; ++i) {
      centre_(i, j) = grid.area(j) + both(i, j) + both(i - 1, j) + both(i, j - 1) + both(i - 1, j - 1);
      north_(i, j) = less(i, j) + less(i - 1, j);
      east_(i, j) = -less(i, j) - less(i, j - 1);
      north_east_(i, j) = -both(i, j);
    }
  }
}

void FreeSurfaceSolver::multiply(const Field& x, Field& product) const {
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) {
      product(i, j) = centre_(i, j) * x(i, j) + north_(i, j) * x(i, j + 1) + north_(i, j - 1) * x(i, j - 1) +
                      east_(i, j) * x(i + 1, j) + east_(i - 1, j) * x(i - 1, j) + north_east_(i, j) * x(i + 1, j + 1) +
                      north_east_(i, j - 1) * x(i + 1, j - 1) + north_east_(i - 1, j) * x(i - 1, j + 1) +
                      north_east_(i - 1, j - 1) * x(i - 1, j - 1);
    }
  }
}

double FreeSurfaceSolver::dot(const Field& one, const Field& other) const {
  double sum = 0.0;
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) sum += one(i, j) * other(i, j);
  }
  return sum;
}

void FreeSurfaceSolver::precondition(const Field& residual, Field& target) const {
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) target(i, j) = residual(i, j) / centre_(i, j);
  }
}

[[gnu::noinline]] double FreeSurfaceSolver::checked(const Field& rhs, Field& x, Halo& halo) {
  halo.update({"solver", 2}, {&x});
  multiply(x, residual_);
  extend(grid_, residual_, -1.0, rhs);
  precondition(residual_, preconditioned_);
  return sum_over_ranks(dot(residual_, preconditioned_));
}

[[gnu::noinline]] Solution FreeSurfaceSolver::standard(const Field& rhs, Field& x, Halo& halo) {
  x = Field(grid_.block, 1);
  residual_ = rhs;
  direction_ = x;
  Solution solution{0, 0.0};
  double before = 0.0;
  double first = 0.0;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    precondition(residual_, preconditioned_);
    const double now = sum_over_ranks(dot(residual_, preconditioned_));
    if (iteration == 1) first = now;
    if (now == 0.0) return solution;  // nothing, or nothing any more, is left to solve for
    extend(grid_, direction_, iteration == 1 ? 0.0 : now / before, preconditioned_);
    before = now;
    halo.update({"solver", 1}, {&direction_});
    multiply(direction_, along_);
    const double step = now / sum_over_ranks(dot(direction_, along_));
    add_multiple(grid_, x, step, direction_);
    add_multiple(grid_, residual_, -step, along_);
    solution.iterations = iteration;
    if (!time_to_check(iteration)) continue;
    solution.residual = std::sqrt(checked(rhs, x, halo) / first);
    if (solution.residual <= tolerance) break;
  }
  return solution;
}

[[gnu::noinline]] Solution FreeSurfaceSolver::chrongear(const Field& rhs, Field& x, Halo& halo) {
  x = Field(grid_.block, 1);
  residual_ = rhs;
  direction_ = x;
  along_ = x;
  Solution solution{0, 0.0};
  double before = 1.0;
  double curvature = 0.0;
  double first = 0.0;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    precondition(residual_, preconditioned_);
    halo.update({"solver", 1}, {&preconditioned_});
    multiply(preconditioned_, product_);
    const double mine[2] = {dot(residual_, preconditioned_), dot(preconditioned_, product_)};
    double sums[2];
    MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (iteration == 1) first = sums[0];
    if (sums[0] == 0.0) return solution;
    const double ratio = iteration == 1 ? 0.0 : sums[0] / before;
    before = sums[0];
    curvature = sums[1] - ratio * ratio * curvature;
    const double step = sums[0] / curvature;
    extend(grid_, direction_, ratio, preconditioned_);
    extend(grid_, along_, ratio, product_);
    add_multiple(grid_, x, step, direction_);
    add_multiple(grid_, residual_, -step, along_);
    solution.iterations = iteration;
    if (!time_to_check(iteration)) continue;
    solution.residual = std::sqrt(checked(rhs, x, halo) / first);
    if (solution.residual <= tolerance) break;
  }
  return solution;
}

}  // namespace pop
