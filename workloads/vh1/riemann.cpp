#include "riemann.hpp"

#include <algorithm>
#include <cmath>

namespace vh1 {
namespace {

constexpr double g = gamma_gas;

double sound(const Side& side) { return std::sqrt(g * side.pressure / side.density); }

// How much a wave that brings the side to this pressure changes its velocity, and the derivative by the pressure.
struct Change {
  double velocity;
  double slope;
};

Change through_shock(const Side& side, double pressure) {
  const double excess = pressure - side.pressure;
  const double flux2 =
      side.density * (g * side.pressure + 0.5 * (g + 1.0) * excess);  // mass through the shock, squared
  const double flux = std::sqrt(flux2);
  return {excess / flux, (1.0 - 0.25 * (g + 1.0) * side.density * excess / flux2) / flux};
}

Change through_fan(const Side& side, double pressure) {
  const double ratio = std::pow(pressure / side.pressure, (g - 1.0) / (2.0 * g));
  return {2.0 * sound(side) / (g - 1.0) * (ratio - 1.0), ratio * sound(side) / (g * pressure)};
}

Change exactly(const Side& side, double pressure) {
  return pressure > side.pressure ? through_shock(side, pressure) : through_fan(side, pressure);
}

// Newton's iteration; both changes grow with the pressure and are concave, so it converges from the left.
template <typename Wave>
Contact meet(const Side& left, const Side& right, Wave through) {
  const double least = 1e-6 * std::min(left.pressure, right.pressure);
  double pressure = 0.5 * (left.pressure + right.pressure);
  for (int round = 0; round < 30; ++round) {
    const Change a = through(left, pressure), b = through(right, pressure);
    const double step = (a.velocity + b.velocity + right.velocity - left.velocity) / (a.slope + b.slope);
    pressure = std::max(pressure - step, least);
    if (std::abs(step) < 1e-13 * pressure) break;
  }
  const double from_left = left.velocity - through(left, pressure).velocity;
  const double from_right = right.velocity + through(right, pressure).velocity;
  return {pressure, 0.5 * (from_left + from_right)};
}

// The state left of the contact, seen in a frame where the left side is on the left.
Side behind_left_wave(const Side& side, const Contact& contact, double speed) {
  const double c = sound(side);
  if (contact.pressure > side.pressure) {
    const double ratio = contact.pressure / side.pressure, strength = (g - 1.0) / (g + 1.0);
    const double shock = side.velocity - c * std::sqrt((g + 1.0) / (2.0 * g) * ratio + (g - 1.0) / (2.0 * g));
    if (speed <= shock) return side;
    return {side.density * (ratio + strength) / (strength * ratio + 1.0), contact.pressure, contact.velocity};
  }
  const double after = c * std::pow(contact.pressure / side.pressure, (g - 1.0) / (2.0 * g));
  if (speed <= side.velocity - c) return side;
  if (speed >= contact.velocity - after) {
    return {g * contact.pressure / (after * after), contact.pressure, contact.velocity};
  }
  const double within = 2.0 / (g + 1.0) * (c + 0.5 * (g - 1.0) * (side.velocity - speed));
  const double density = side.density * std::pow(within / c, 2.0 / (g - 1.0));
  return {density, density * within * within / g, speed + within};
}

}  // namespace

Contact two_shock(const Side& left, const Side& right) { return meet(left, right, through_shock); }

Side exact_riemann(const Side& left, const Side& right, double speed) {
  const Contact contact = meet(left, right, exactly);
  if (speed <= contact.velocity) return behind_left_wave(left, contact, speed);
  const Side mirrored{right.density, right.pressure, -right.velocity};
  Side state = behind_left_wave(mirrored, {contact.pressure, -contact.velocity}, -speed);
  state.velocity = -state.velocity;
  return state;
}

}  // namespace vh1
