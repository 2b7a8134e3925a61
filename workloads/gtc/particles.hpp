// The ions: centres of gyration, each standing for some charge.
#pragma once

#include <vector>

#include "torus.hpp"

namespace gtc {

// Twelve reals, which is how a particle travels.
struct Particle {
  enum : int { radius, theta, zeta, parallel, charge, moment, numbers };
  double now[numbers];
  double before[numbers];  // at the beginning of the step
};
static_assert(sizeof(Particle) == 12 * sizeof(double));

// Those of this process. A particle is the same whatever the number of processes: all is drawn from its own number.
std::vector<Particle> initial_particles(const Torus& torus);

// Four points of the gyration, each with its place between the points of a plane: the values of the grid count with
// these weights, and charge goes to it so. `weight` of all four together adds up to 1.
struct Gyration {
  int point[4][4];
  double weight[4][4];
};

Gyration gyration(const Torus& torus, const Particle& particle);

// Between which planes of its domain a particle is: the left one's number and the share of the right one. Throws
// std::runtime_error where it is in another domain.
struct Between {
  int left;
  double right_share;
};

Between between_planes(const Torus& torus, const Particle& particle);

}  // namespace gtc
