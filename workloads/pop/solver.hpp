// The elliptic system of the implicit free surface: area * x - g dt^2 div(depth grad x) = rhs, on this block.
//
// Nine points, symmetric and positive definite; solved by conjugate gradients preconditioned with the diagonal.
#pragma once

#include "grid.hpp"
#include "halo.hpp"

namespace pop {

struct Solution {
  int iterations;
  double residual;  // b - A x over b, both weighted with the inverse of the diagonal: the same on all ranks
};

class FreeSurfaceSolver {
 public:
  static constexpr int most_iterations = 200;
  static constexpr int iterations_between_checks = 10;
  static constexpr double tolerance = 1e-12;

  explicit FreeSurfaceSolver(const Grid& grid);

  // Both leave the solution in x, halo included, and stop at a check. They start from nothing. Collective.
  Solution standard(const Field& rhs, Field& x, Halo& halo);   // Hestenes, Stiefel
  Solution chrongear(const Field& rhs, Field& x, Halo& halo);  // Chronopoulos, Gear

 private:
  void multiply(const Field& x, Field& product) const;
  double dot(const Field& one, const Field& other) const;  // of this block
  void precondition(const Field& residual, Field& target) const;
  double checked(const Field& rhs, Field& x, Halo& halo);  // the residual of x itself; puts it into residual_

  const Grid& grid_;
  Field centre_, north_, east_, north_east_;  // the matrix' coefficients; the others follow by symmetry
  Field residual_, preconditioned_, direction_, product_, along_;
};

}  // namespace pop
