// The state of the ocean on this process, and the routines that advance it, one file each.
#pragma once

#include <memory>
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
  Ocean(const Settings& settings, const Blocks& blocks, int rank, int member);

  Settings settings;
  int member;
  Grid grid;
  Halo halo;

  // Each with an up-to-date halo at the beginning of a step.
  Field u, v;                  // m/s
  Field sea_level;             // m
  std::vector<Field> tracers;  // temperature (deg C), salinity (g/kg), dyes

  // Within a step.
  Field sea_level_before;
  Field mixing;          // vertical diffusivity through the bottom of the cells, m^2/s
  Field u_mean, v_mean;  // over the depth
  std::vector<Field*> all_tracers();

  double largest_residual = 0.0;  // of all steps so far
};

// Independent oceans with different initial states. In the barotropic phase, whose messages are small, those of all
// members travel together, and so do their sums.
struct Ensemble {
  Ensemble(const Settings& settings, const Blocks& blocks, int rank);

  std::vector<std::unique_ptr<Ocean>> members;
  FreeSurfaceSolver solver;
  int iterations = 0;  // of all steps so far, those of the member that took most

  // The same field of every member.
  std::vector<Field*> every(std::initializer_list<Field Ocean::*> fields);
  // One message for all members' fields. The members' halos are alike.
  void exchange(const kit::Exchange& exchange, std::initializer_list<Field Ocean::*> fields) {
    members[0]->halo.update(exchange, every(fields));
  }
};

// What a member's sea level at the beginning is multiplied with: 1 for the first, between 0.7 and 1.3 for the others.
double perturbation(int member);

// Density relative to the reference's, less one.
inline double density(const Ocean& ocean, int i, int j, int k) {
  return -2.0e-4 * (ocean.tracers[0](i, j, k) - 10.0) + 7.6e-4 * (ocean.tracers[1](i, j, k) - 35.0);
}

extern "C" {
void mixing_coefficients(Ocean& ocean);  // of the vertical mixing, for both of the following
void momentum(Ocean& ocean);             // the velocities without the pressure of the sea level's change
void barotropic(Ensemble& ensemble);     // that change, and the velocities and sea level that follow
void tracer_transport(Ocean& ocean);     // what the new velocities carry, and mix
}

struct Phase {
  enum : size_t { setup, baroclinic, barotropic };
};

void advance(Ensemble& ensemble, kit::Phases& phases);

// Implicit vertical diffusion of one column, in place. thickness: of each cell; exchange: diffusivity * time / distance
// through the bottom of each but the last; drag: what the last cell loses, as a thickness.
void mix_column(const std::vector<double>& thickness, const std::vector<double>& exchange, double drag,
                std::vector<double>& values);

}  // namespace pop
