// The state on this process, and the routines that advance it, one file each.
#pragma once

#include "blocks.hpp"
#include "gas.hpp"
#include "halo.hpp"
#include "kit/phases.hpp"
#include "settings.hpp"

namespace s3d {

struct Phase {
  enum : size_t { setup, gradients, divergence, reaction, filter, monitor };
};

struct Model {
  Model(const Settings& settings, int rank, int ranks);

  Settings settings;
  Blocks blocks;
  Halo halo;
  Properties properties;
  std::array<double, 3> spacing;
  State state;
  State change;     // per time
  State increment;  // of the Runge-Kutta stages so far
  std::vector<Field> primitive;
  std::vector<Field> gradient;  // [primitive][axis]
  Field flux;
  Field outflow;  // its difference
  double time = 0.0;
  double hottest = 0.0;  // temperature, anywhere, when last looked
  double fastest = 0.0;  // velocity and sound over spacing, added over axes, likewise

  const Field& gradient_of(int which, int axis) const { return gradient[3 * which + axis]; }
  double longest_step() const { return 0.6 / fastest; }
};

// The time derivative of the state: differences of the fluxes, and the reaction.
void rhsf(Model& model, kit::Phases& phases);

// Takes out what is too short a wave for the differences.
void filter(Model& model);

// Sets `hottest` and `fastest` from all processes.
void monitor(Model& model);

// One step of six Runge-Kutta stages, then the filter.
void advance(Model& model, double dt, kit::Phases& phases);

}  // namespace s3d
