#include "solver.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>

namespace pop {
namespace {

std::vector<double> sum_over_ranks(const std::vector<double>& mine) {
  std::vector<double> sums(mine.size());
  MPI_Allreduce(mine.data(), sums.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sums;
}

bool time_to_check(int iteration) { return iteration % FreeSurfaceSolver::iterations_between_checks == 0; }

}  // namespace

struct FreeSurfaceSolver::Progress {
  Solution solution;
  double first = 0.0;   // of the squares of the residual, the first iteration's
  double before = 1.0;  // and the last one's
  double curvature = 0.0;
  bool open = true;

  // What the new direction keeps of the one before; takes note of the square of the residual.
  double ratio(int iteration, double square) {
    if (iteration == 1) first = square;
    const double kept = iteration == 1 ? 0.0 : square / before;
    before = square;
    return kept;
  }
};

FreeSurfaceSolver::FreeSurfaceSolver(const Grid& grid, int members)
    : grid_(grid),
      members_(members),
      centre_(grid.block, 1),
      north_(grid.block, 1),
      east_(grid.block, 1),
      north_east_(grid.block, 1),
      residual_(grid.block, members),
      preconditioned_(grid.block, members),
      direction_(grid.block, members),
      product_(grid.block, members),
      along_(grid.block, members) {
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
  for (int m = 0; m < members_; ++m) {
    for (int j = 0; j < grid_.block.ny; ++j) {
      for (int i = 0; i < grid_.block.nx; ++i) {
        product(i, j, m) = centre_(i, j) * x(i, j, m) + north_(i, j) * x(i, j + 1, m) +
                           north_(i, j - 1) * x(i, j - 1, m) + east_(i, j) * x(i + 1, j, m) +
                           east_(i - 1, j) * x(i - 1, j, m) + north_east_(i, j) * x(i + 1, j + 1, m) +
                           north_east_(i, j - 1) * x(i + 1, j - 1, m) + north_east_(i - 1, j) * x(i - 1, j + 1, m) +
                           north_east_(i - 1, j - 1) * x(i - 1, j - 1, m);
      }
    }
  }
}

double FreeSurfaceSolver::dot(const Field& one, const Field& other, int member) const {
  double sum = 0.0;
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) sum += one(i, j, member) * other(i, j, member);
  }
  return sum;
}

std::vector<double> FreeSurfaceSolver::dots(const Field& one, const Field& other) const {
  std::vector<double> mine;
  for (int m = 0; m < members_; ++m) mine.push_back(dot(one, other, m));
  return sum_over_ranks(mine);
}

void FreeSurfaceSolver::precondition(const Field& residual, Field& target) const {
  for (int m = 0; m < members_; ++m) {
    for (int j = 0; j < grid_.block.ny; ++j) {
      for (int i = 0; i < grid_.block.nx; ++i) target(i, j, m) = residual(i, j, m) / centre_(i, j);
    }
  }
}

void FreeSurfaceSolver::add_multiple(Field& target, int member, double factor, const Field& source) const {
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) target(i, j, member) += factor * source(i, j, member);
  }
}

void FreeSurfaceSolver::extend(Field& target, int member, double factor, const Field& source) const {
  for (int j = 0; j < grid_.block.ny; ++j) {
    for (int i = 0; i < grid_.block.nx; ++i) {
      target(i, j, member) = source(i, j, member) + factor * target(i, j, member);
    }
  }
}

void FreeSurfaceSolver::begin(const Field& rhs, Field& x) {
  x = Field(grid_.block, members_);
  residual_ = rhs;
  direction_ = x;
  along_ = x;
}

bool FreeSurfaceSolver::any_open(const std::vector<Progress>& all) {
  return std::any_of(all.begin(), all.end(), [](const Progress& progress) { return progress.open; });
}

std::vector<Solution> FreeSurfaceSolver::solutions(const std::vector<Progress>& all) {
  std::vector<Solution> found;
  for (const Progress& progress : all) found.push_back(progress.solution);
  return found;
}

[[gnu::noinline]] bool FreeSurfaceSolver::checked(const Field& rhs, Field& x, Halo& halo, std::vector<Progress>& all) {
  halo.update({"solver", 2}, {&x});
  multiply(x, residual_);
  for (int m = 0; m < members_; ++m) extend(residual_, m, -1.0, rhs);
  precondition(residual_, preconditioned_);
  const std::vector<double> squares = dots(residual_, preconditioned_);
  for (int m = 0; m < members_; ++m) {
    if (!all[m].open) continue;
    all[m].solution.residual = std::sqrt(squares[m] / all[m].first);
    all[m].open = !(all[m].solution.residual <= tolerance);
  }
  return any_open(all);
}

[[gnu::noinline]] std::vector<Solution> FreeSurfaceSolver::standard(const Field& rhs, Field& x, Halo& halo) {
  begin(rhs, x);
  std::vector<Progress> all(members_);
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    precondition(residual_, preconditioned_);
    const std::vector<double> squares = dots(residual_, preconditioned_);
    for (int m = 0; m < members_; ++m) {
      if (squares[m] == 0.0) all[m].open = false;  // nothing, or nothing any more, is left to solve for
      if (all[m].open) extend(direction_, m, all[m].ratio(iteration, squares[m]), preconditioned_);
    }
    if (!any_open(all)) break;
    halo.update({"solver", 1}, {&direction_});
    multiply(direction_, along_);
    const std::vector<double> curvatures = dots(direction_, along_);
    for (int m = 0; m < members_; ++m) {
      if (!all[m].open) continue;
      const double step = squares[m] / curvatures[m];
      add_multiple(x, m, step, direction_);
      add_multiple(residual_, m, -step, along_);
      all[m].solution.iterations = iteration;
    }
    if (time_to_check(iteration) && !checked(rhs, x, halo, all)) break;
  }
  return solutions(all);
}

[[gnu::noinline]] std::vector<Solution> FreeSurfaceSolver::chrongear(const Field& rhs, Field& x, Halo& halo) {
  begin(rhs, x);
  std::vector<Progress> all(members_);
  std::vector<double> mine(2 * static_cast<size_t>(members_)), sums(mine);
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    precondition(residual_, preconditioned_);
    halo.update({"solver", 1}, {&preconditioned_});
    multiply(preconditioned_, product_);
    for (int m = 0; m < members_; ++m) {
      mine[2 * m] = dot(residual_, preconditioned_, m);
      mine[2 * m + 1] = dot(preconditioned_, product_, m);
    }
    MPI_Allreduce(mine.data(), sums.data(), 2 * members_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < members_; ++m) {
      if (sums[2 * m] == 0.0) all[m].open = false;
      if (!all[m].open) continue;
      const double ratio = all[m].ratio(iteration, sums[2 * m]);
      all[m].curvature = sums[2 * m + 1] - ratio * ratio * all[m].curvature;
      const double step = sums[2 * m] / all[m].curvature;
      extend(direction_, m, ratio, preconditioned_);
      extend(along_, m, ratio, product_);
      add_multiple(x, m, step, direction_);
      add_multiple(residual_, m, -step, along_);
      all[m].solution.iterations = iteration;
    }
    if (!any_open(all)) break;
    if (time_to_check(iteration) && !checked(rhs, x, halo, all)) break;
  }
  return solutions(all);
}

}  // namespace pop
