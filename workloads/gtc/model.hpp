// The state on this process, and the routines of a stage, one file each. They bear the names they have in GTC.
#pragma once

#include <vector>

#include "checks.hpp"
#include "kit/phases.hpp"
#include "particles.hpp"
#include "ring.hpp"
#include "torus.hpp"

namespace gtc {

constexpr double step = 0.1;  // major radius over thermal speed

struct Phase {
  enum : size_t { setup, charge, smooth, poisson, field, push, shift };
};

struct Model {
  Model(const Settings& settings, int rank, int ranks)
      : torus(settings, rank, ranks),
        ring(torus),
        particles(initial_particles(torus)),
        beginning(held(particles)),
        all_charge(everybodys(beginning).charge.value()),
        density(torus.planes(), torus.points()),
        potential(torus.planes(), torus.points()),
        electric(torus.planes(), 3 * torus.points()) {}

  Torus torus;
  Ring ring;
  std::vector<Particle> particles;
  Holdings beginning;
  double all_charge;
  Field density;                      // how much the charge is above its even spread, relative to that
  std::vector<double> zonal_density;  // its mean over a flux surface
  Field potential;                    // in units of temperature over charge
  Field electric;                     // per plane three grids: radial, poloidal, along the magnetic field
  double charge_error = 0.0;          // the largest so far of the charge on the grid, relative to all
  double residual = 0.0;              // likewise of the field equation
};

void chargei(Model& model);                      // charge of the particles on the grid
void smooth_density(Model& model);               // two passes the long way round
void poisson(Model& model);                      // the potential of each plane
void smooth_potential(Model& model);             // one pass
void field(Model& model);                        // electric field
void pushi(Model& model, double dt, int stage);  // particles moved by dt since the beginning of the step
void shifti(Model& model);                       // particles to the domain they are in

}  // namespace gtc
