#include "problems.hpp"

#include <cmath>

namespace s3d {
namespace {

constexpr double wave_number = 2.0 * M_PI;  // along each axis
constexpr double mixing_viscosity = 0.004;
constexpr double prandtl = 0.7;
constexpr double schmidt = 0.7;

double phase(const Position& position) { return wave_number * (position[0] + position[1] + position[2]); }

// Vortices in all three planes, none a mirror image of another, and a hot kernel off the middle.
Primitive flame(const Position& position) {
  const double a = wave_number * position[0], b = wave_number * position[1], c = wave_number * position[2];
  constexpr double speed = 0.3;
  constexpr double centre[3] = {0.45, 0.4, 0.55};
  double exponent = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const double away = std::sin(M_PI * (position[axis] - centre[axis])) / M_PI;
    exponent -= away * away / (2.0 * 0.1 * 0.1);
  }
  const double temperature = 1.0 + 1.5 * std::exp(exponent);
  return {
      1.0 / temperature,
      {speed * (std::sin(a) * std::cos(b) + 0.5 * std::sin(c)), speed * (std::sin(b) * std::cos(c) + 0.4 * std::sin(a)),
       speed * (std::sin(c) * std::cos(a) + 0.3 * std::sin(b))},
      temperature,
      0.3 + 0.05 * std::sin(b + c),
      0.3 + 0.05 * std::cos(a + c)};
}

// Along the diagonal s: velocity u and sound c with u - 2 c / (gamma - 1) the same everywhere; each value of u moves at
// u + c. Newton's iteration finds where what is here now was at the beginning. Before the wave breaks there is one
// position.
Primitive sound(const Position& position, double time) {
  constexpr double amplitude = 0.002;
  const double rest = std::sqrt(gamma_gas), k = wave_number * std::sqrt(3.0);  // along the diagonal
  const double here = phase(position);
  double u = amplitude * std::sin(here);
  for (int round = 0; round < 50; ++round) {
    const double origin = here - k * (rest + 0.5 * (gamma_gas + 1.0) * u) * time;
    const double miss = u - amplitude * std::sin(origin);
    const double slope = 1.0 + amplitude * std::cos(origin) * k * 0.5 * (gamma_gas + 1.0) * time;
    u -= miss / slope;
    if (std::abs(miss) < 1e-15) break;
  }
  const double c = rest + 0.5 * (gamma_gas - 1.0) * u;
  const double along = u / std::sqrt(3.0);
  return {std::pow(c / rest, 2.0 / (gamma_gas - 1.0)), {along, along, along}, c * c / gamma_gas, 0.1, 0.1};
}

Primitive mixing(const Position& position, double time) {
  constexpr double stream[3] = {0.5, 0.3, 0.2};
  const double carried = wave_number * (stream[0] + stream[1] + stream[2]) * time;
  const double left = std::exp(-mixing_viscosity / schmidt * 3.0 * wave_number * wave_number * time);
  const double angle = phase(position) - carried;
  return {1.0,
          {stream[0], stream[1], stream[2]},
          1.0,
          0.3 + 0.1 * left * std::sin(angle),
          0.3 + 0.1 * left * std::cos(angle)};
}

}  // namespace

Properties properties_of(const std::string& problem) {
  if (problem == "sound") return {0.0, 0.0, 0.0, 0.0};
  const double viscosity = problem == "flame" ? 0.003 : mixing_viscosity;
  return {viscosity, viscosity * gamma_gas / (gamma_gas - 1.0) / prandtl, viscosity / schmidt,
          problem == "flame" ? 2500.0 : 0.0};
}

Primitive state_at(const std::string& problem, const Position& position, double time) {
  if (problem == "sound") return sound(position, time);
  return problem == "mixing" ? mixing(position, time) : flame(position);
}

}  // namespace s3d
