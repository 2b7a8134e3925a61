// How fast everything changes but for sound: advection, pressure, weight, the earth's rotation, diffusion.
#pragma once

#include <array>

#include "atmosphere.hpp"

namespace wrf {

// The Laplacians of what is diffused, in units of the spacing; the diffusion is the Laplacian of them.
struct Laplacians {
  explicit Laplacians(const Atmosphere& atmosphere);
  std::vector<Field*> all();

  Field u, v, w, theta;
  std::array<Field, tracer_count> tracers;
};

void work_out_laplacians(const Atmosphere& atmosphere, Laplacians& laplacians);

// Of the state at the beginning of the stage. `rates` on the tile only.
void work_out_tendencies(const Atmosphere& atmosphere, const Laplacians& laplacians, State& rates);

// The tracers a stage later than `before`, carried by the mean momenta of its acoustic steps. density_before: in all.
void carry_tracers(Atmosphere& atmosphere, const Laplacians& laplacians, const std::array<Field, tracer_count>& before,
                   const Field& density_before, double stage_s);

}  // namespace wrf
