// The elliptic system of the implicit free surface: area * x - g dt^2 div(depth grad x) = rhs, on this block.
//
// Nine points, symmetric and positive definite; solved by conjugate gradients preconditioned with the diagonal, for the
// right-hand sides of all members of an ensemble at once: each has its own level of the fields and its own steps, as if
// it were solved alone, but its values and its sums travel with those of the others. What is solved stays as it is.
#pragma once

#include <vector>

#include "grid.hpp"
#include "halo.hpp"

namespace pop {

// Of one member.
struct Solution {
  int iterations = 0;
  double residual = 0.0;  // b - A x over b, both weighted with the inverse of the diagonal: the same on all ranks
};

class FreeSurfaceSolver {
 public:
  static constexpr int most_iterations = 200;
  static constexpr int iterations_between_checks = 10;
  static constexpr double tolerance = 1e-12;

  FreeSurfaceSolver(const Grid& grid, int members);

  // Both leave the solution in x, halo included, and stop at a check. They start from nothing. Collective.
  std::vector<Solution> standard(const Field& rhs, Field& x, Halo& halo);   // Hestenes, Stiefel
  std::vector<Solution> chrongear(const Field& rhs, Field& x, Halo& halo);  // Chronopoulos, Gear

 private:
  struct Progress;  // of one member
  static bool any_open(const std::vector<Progress>& all);
  static std::vector<Solution> solutions(const std::vector<Progress>& all);

  void multiply(const Field& x, Field& product) const;
  double dot(const Field& one, const Field& other, int member) const;  // of this block
  void precondition(const Field& residual, Field& target) const;
  std::vector<double> dots(const Field& one, const Field& other) const;  // of all blocks, by member
  void begin(const Field& rhs, Field& x);
  void extend(Field& target, int member, double factor,
              const Field& source) const;  // target = source + factor * target
  void add_multiple(Field& target, int member, double factor, const Field& source) const;
  // The residual of x itself; puts it into residual_. Whether any member is left to be solved.
  bool checked(const Field& rhs, Field& x, Halo& halo, std::vector<Progress>& all);

  const Grid& grid_;
  int members_;
  Field centre_, north_, east_, north_east_;  // the matrix' coefficients; the others follow by symmetry
  Field residual_, preconditioned_, direction_, product_, along_;
};

}  // namespace pop
