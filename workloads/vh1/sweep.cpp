#include "sweep.hpp"

#include <algorithm>
#include <cmath>

#include "riemann.hpp"

namespace vh1 {

Line::Line(int zones, double width, Ends ends) : zones_(zones), width_(width), ends_(ends) {
  const size_t all = zones + 2 * ghosts;
  for (Row* row : rows_) row->resize(all);
  for (Row* row :
       {&steepness_, &flattening_, &energy_, &mass_, &stretched_, &shift_, &contact_pressure_, &contact_velocity_}) {
    row->resize(all);
  }
  for (Row& row : flux_) row.resize(all);
  even_.assign(all, width);
  even_spacing_.prepare(even_, 2, static_cast<int>(all) - 3);
}

void Line::advance(double dt) {
  fill_ghosts();
  flatten();
  lagrange(dt);
  remap();
}

void Line::fill_ghosts() {
  const int last = ghosts + zones_ - 1;
  for (Row* row : rows_) {
    for (int n = 0; n < ghosts; ++n) {
      const int before = ghosts - 1 - n, after = last + 1 + n;
      const bool round = ends_ == Ends::periodic;
      (*row)[before] = (*row)[round ? ghosts + (zones_ - 1 - n % zones_) : ghosts];
      (*row)[after] = (*row)[round ? ghosts + n % zones_ : last];
    }
  }
}

// Where the pressure jumps within two zones in a converging flow (Colella and Woodward 1984, A.1 and A.2, without the
// look at the neighbour). A shock that an earlier sweep met counts too: it may lie across this line's direction.
void Line::flatten() {
  const int all = zones_ + 2 * ghosts;
  for (int n = 2; n <= all - 3; ++n) {
    const double near = pressure_[n + 1] - pressure_[n - 1], far = pressure_[n + 2] - pressure_[n - 2];
    const bool strong = std::abs(near) > 0.33 * std::min(pressure_[n + 1], pressure_[n - 1]);
    const bool converging = along_[n - 1] > along_[n + 1];
    const double share = far != 0.0 ? near / far : 0.0;
    steepness_[n] = strong && converging ? std::clamp(10.0 * (share - 0.75), 0.0, 1.0) : 0.0;
    flattening_[n] = std::max(steepness_[n], marker_[n]);
  }
}

// Zones move with the gas, so mass stays; pressure at the edges changes momentum and energy.
void Line::lagrange(double dt) {
  const int first = 2, last = zones_ + 2 * ghosts - 3;
  const Row* interpolated[3] = {&density_, &pressure_, &along_};
  for (int v = 0; v < 3; ++v) parabola_[v].fit(even_spacing_, *interpolated[v], flattening_);
  // Each edge feels only what sound can bring to it within dt.
  const auto reach = [&](int n) { return std::sqrt(gamma_gas * pressure_[n] / density_[n]) * dt / width_; };
  for (int n = first + 1; n <= last; ++n) {
    const double left = reach(n - 1), right = reach(n);
    const Contact contact = two_shock(
        {parabola_[0].near_right(n - 1, left), parabola_[1].near_right(n - 1, left),
         parabola_[2].near_right(n - 1, left)},
        {parabola_[0].near_left(n, right), parabola_[1].near_left(n, right), parabola_[2].near_left(n, right)});
    contact_pressure_[n] = contact.pressure;
    contact_velocity_[n] = contact.velocity;
    shift_[n] = contact.velocity * dt;
  }
  for (int n = first + 1; n < last; ++n) {
    const double sideways = side1_[n] * side1_[n] + side2_[n] * side2_[n];
    const double inner = pressure_[n] / ((gamma_gas - 1.0) * density_[n]);
    const double work =
        contact_pressure_[n + 1] * contact_velocity_[n + 1] - contact_pressure_[n] * contact_velocity_[n];
    mass_[n] = density_[n] * width_;
    energy_[n] = inner + 0.5 * (along_[n] * along_[n] + sideways) - dt / mass_[n] * work;
    along_[n] -= dt / mass_[n] * (contact_pressure_[n + 1] - contact_pressure_[n]);
    stretched_[n] = width_ + shift_[n + 1] - shift_[n];
    density_[n] = mass_[n] / stretched_[n];
  }
}

// What lies beyond a zone's old edges goes to its neighbour: density per length, the others per mass.
void Line::remap() {
  Row* carried[5] = {&density_, &along_, &side1_, &side2_, &energy_};
  stretched_spacing_.prepare(stretched_, ghosts - 1, ghosts + zones_);
  for (int v = 0; v < 5; ++v) parabola_[v].fit(stretched_spacing_, *carried[v], flattening_);
  for (int n = ghosts; n <= ghosts + zones_; ++n) {
    const bool forward = shift_[n] >= 0.0;  // the gas left of the edge has moved into zone n
    const int from = forward ? n - 1 : n;
    const double share = std::abs(shift_[n]) / stretched_[from];
    const auto part = [&](int v) {
      return forward ? parabola_[v].near_right(from, share) : parabola_[v].near_left(from, share);
    };
    flux_[0][n] = part(0) * shift_[n];
    for (int v = 1; v < 5; ++v) flux_[v][n] = part(v) * flux_[0][n];
  }
  for (int n = ghosts; n < ghosts + zones_; ++n) {
    const double mass = mass_[n] + flux_[0][n] - flux_[0][n + 1];
    for (int v = 1; v < 5; ++v) {
      double& value = (*carried[v])[n];
      value = (mass_[n] * value + flux_[v][n] - flux_[v][n + 1]) / mass;
    }
    density_[n] = mass / width_;
    const double motion = along_[n] * along_[n] + side1_[n] * side1_[n] + side2_[n] * side2_[n];
    pressure_[n] = (energy_[n] - 0.5 * motion) * density_[n] * (gamma_gas - 1.0);
    marker_[n] = steepness_[n];
  }
}

}  // namespace vh1
