// The state of the ocean on this process, and the routines that advance it, one file each.
#pragma once

#include <vector>

#include "blocks.hpp"
#include "field.hpp"
#include "grid.hpp"
#include "halo.hpp"
#include "kit/phases.hpp"
#include "settings.hpp"
#include "solver.hpp"

namespace pop {

struct Ocean {
  Ocean(const Settings& settings, const Blocks& blocks, int rank);

  Settings settings;
  Grid grid;
  Halo halo;
  FreeSurfaceSolver solver;

  // Each with an up-to-date halo at the beginning of a step.
  Field u, v;                  // m/s
  Field sea_level;             // m
  std::vector<Field> tracers;  // temperature (deg C), salinity (g/kg), dyes

  // Within a step.
  Field sea_level_before;
  Field mixing;          // vertical diffusivity through the bottom of the cells, m^2/s
  Field u_mean, v_mean;  // over the depth
  std::vector<Field*> all_tracers();

  // Of all steps so far.
  int iterations = 0;
  double largest_residual = 0.0;
};

// Density relative to the reference's, less one.
inline double density(const Ocean& ocean, int i, int j, int k) {
  return -2.0e-4 * (ocean.tracers[0](i, j, k) - 10.0) + 7.6e-4 * (ocean.tracers[1](i, j, k) - 35.0);
}

extern "C" {
void mixing_coefficients(Ocean& ocean);  // of the vertical mixing, for both of the following
void momentum(Ocean& ocean);             // the velocities without the pressure of the sea level's change
void barotropic(Ocean& ocean);           // that change, and the velocities and sea level that follow
void tracer_transport(Ocean& ocean);     // what the new velocities carry, and mix
}

struct Phase {
  enum : size_t { setup, baroclinic, barotropic };
};

void advance(Ocean& ocean, kit::Phases& phases);

// Implicit vertical diffusion of one column, in place. thickness: of each cell; exchange: diffusivity * time / distance
// through the bottom of each but the last; drag: what the last cell loses, as a thickness.
void mix_column(const std::vector<double>& thickness, const std::vector<double>& exchange, double drag,
                std::vector<double>& values);

}  // namespace pop
