#include "tracers.hpp"

#include <cmath>
#include <cstdint>

namespace opatm {
namespace {

// Evenly distributed in [0, 1) and the same everywhere for the same place. The mixing function is splitmix64's.
double noise(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t z = (((a * 1000003 + b) * 1000003 + c) * 1000003 + d) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

double relative_profile(Role role, double depth_m) {
  switch (role) {
    case Role::nutrient:
      return 1.2 - std::exp(-depth_m / 120.0);
    case Role::phytoplankton:
      return 0.05 + std::exp(-depth_m / 60.0);
    case Role::zooplankton:
      return 0.05 + std::exp(-depth_m / 90.0);
    case Role::detritus:
      return 0.10 + std::exp(-depth_m / 200.0);
  }
  return 0.0;
}

}  // namespace

Tracer tracer(int number) {
  constexpr double typical[roles] = {5.0, 0.5, 0.2, 0.4};
  constexpr double sinking[roles] = {0.0, 0.5, 0.0, 5.0};
  const int role = number % roles;
  const int chain = number / roles;
  return {number, static_cast<Role>(role), chain, typical[role] / (1.0 + 0.1 * chain),
          sinking[role] * (1.0 + 0.2 * (chain % 20))};
}

double initial_profile(const Tracer& tracer, double depth_m) {
  return tracer.typical * relative_profile(tracer.role, depth_m);
}

double initial_patchiness(const Tracer& tracer, int x, int y, int k) {
  const double patch = noise(1000 + tracer.number, x / 5, y / 5, k / 3) < 0.3 ? 1.5 : 1.0;
  return patch * (0.9 + 0.2 * noise(tracer.number, x, y, k));
}

}  // namespace opatm
