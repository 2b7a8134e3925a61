// Riemann's problem of an ideal gas: what happens at the edge between two states.
#pragma once

namespace vh1 {

constexpr double gamma_gas = 1.4;

struct Side {
  double density;
  double pressure;
  double velocity;
};

struct Contact {
  double pressure;
  double velocity;
};

// Pressure and velocity at the contact, both waves taken as shocks (Colella and Woodward 1984, after van Leer 1979).
Contact two_shock(const Side& left, const Side& right);

// The exact solution: the state at x / t = speed, where the two met at x = 0 at t = 0. No vacuum may form.
Side exact_riemann(const Side& left, const Side& right, double speed);

}  // namespace vh1
