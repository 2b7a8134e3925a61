// The tracers: nutrient, phytoplankton, zooplankton, detritus, and again from the next chain.
#pragma once

namespace opatm {

enum class Role { nutrient, phytoplankton, zooplankton, detritus };
constexpr int roles = 4;

struct Tracer {
  int number;
  Role role;
  int chain;
  double typical;            // concentration, mmol/m^3
  double sinking_m_per_day;  // phytoplankton and detritus sink, faster the higher the chain
};

Tracer tracer(int number);

// Concentration at the start: a profile over depth times the patchiness of the place. The patches have sharp edges and
// some noise, so that there are fronts to carry and extremes to keep.
double initial_profile(const Tracer& tracer, double depth_m);
double initial_patchiness(const Tracer& tracer, int x, int y, int k);

}  // namespace opatm
