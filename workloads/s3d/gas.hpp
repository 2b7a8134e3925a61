// The gas: ideal, gamma = 1.4, with fuel and oxidiser that burn to products in equal masses. In units where the gas
// constant, the box's length, and density and temperature of the fresh gas are 1.
#pragma once

#include <array>
#include <vector>

#include "field.hpp"

namespace s3d {

constexpr double gamma_gas = 1.4;
constexpr double heat_of_reaction = 10.0;  // per mass of fuel

// Per volume: mass, momentum along x, y, z, total energy (with the heat the fuel holds), fuel, oxidiser.
constexpr int conserved = 7;
using State = std::vector<Field>;
using Point = std::array<double, conserved>;

// Velocities, temperature, mass fractions of fuel and oxidiser: what gradients are taken of.
constexpr int primitives = 6;

struct Properties {
  double viscosity;     // dynamic, constant
  double conductivity;  // of heat
  double diffusivity;   // of species, times density
  double rate;          // of the reaction; 0: none
};

struct Primitive {
  double density;
  double velocity[3];
  double temperature;
  double fuel;
  double oxidiser;
};

inline Point conserved_of(const Primitive& p) {
  double motion = 0.0;
  for (double v : p.velocity) motion += v * v;
  const double energy = p.temperature / (gamma_gas - 1.0) + 0.5 * motion + heat_of_reaction * p.fuel;
  return {p.density,          p.density * p.velocity[0], p.density * p.velocity[1], p.density * p.velocity[2],
          p.density * energy, p.density * p.fuel,        p.density * p.oxidiser};
}

inline Primitive primitive_of(const Point& c) {
  Primitive p{c[0], {c[1] / c[0], c[2] / c[0], c[3] / c[0]}, 0.0, c[5] / c[0], c[6] / c[0]};
  double motion = 0.0;
  for (double v : p.velocity) motion += v * v;
  p.temperature = (c[4] / c[0] - 0.5 * motion - heat_of_reaction * p.fuel) * (gamma_gas - 1.0);
  return p;
}

inline Point point_of(const State& state, int i, int j, int k) {
  Point point;
  for (int v = 0; v < conserved; ++v) point[v] = state[v].row(j, k)[i];
  return point;
}

}  // namespace s3d
