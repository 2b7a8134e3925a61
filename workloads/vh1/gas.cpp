#include "gas.hpp"

#include <algorithm>
#include <cmath>

#include "riemann.hpp"
#include "shock_tube.hpp"

namespace vh1 {
namespace {

struct ZoneCentre {
  double at[3];  // of the zone's centre
};

// A hot ball off the middle, in a gas that drifts: nothing is symmetric, so that a missing exchange is always noticed.
void set_blast(const ZoneCentre& zone_centre, bool flat, double* zone) {
  constexpr double centre[3] = {0.4, 0.45, 0.55};
  constexpr double radius = 0.15;
  double distance2 = 0.0;
  for (int axis = 0; axis < (flat ? 2 : 3); ++axis) {
    const double away = zone_centre.at[axis] - centre[axis];
    distance2 += away * away;
  }
  const double ball = 0.5 * (1.0 - std::tanh((std::sqrt(distance2) - radius) / 0.02));
  const double wave = std::sin(2.0 * M_PI * (zone_centre.at[0] + zone_centre.at[1] + (flat ? 0.0 : zone_centre.at[2])));
  const double values[variables] = {1.0 + 0.2 * wave, 0.1 + 10.0 * ball, 0.3, 0.2, flat ? 0.0 : 0.1, 0.0};
  std::copy_n(values, variables, zone);
}

void set_tube(double along, int axis, double* zone) {
  const Side side = sod_at(along, 0.0);
  const double values[variables] = {side.density, side.pressure, 0.0, 0.0, 0.0, 0.0};
  std::copy_n(values, variables, zone);
  zone[2 + axis] = side.velocity;
}

}  // namespace

Gas::Gas(const Settings& settings, const Pencils& pencils) : nx_(pencils.nx()), ny_(pencils.ny()), nz_(pencils.nz()) {
  const int axis = settings.tube_axis();
  width_ = 1.0 / settings.grid[std::max(axis, 0)];
  values_.resize(static_cast<size_t>(nx_) * ny_ * nz_ * variables);
  for (int k = 0; k < nz_; ++k) {
    for (int j = 0; j < ny_; ++j) {
      for (int i = 0; i < nx_; ++i) {
        const int number[3] = {i, pencils.first_y() + j, pencils.first_z() + k};
        if (axis >= 0) {
          set_tube((number[axis] + 0.5) * width_, axis, zone(i, j, k));
        } else {
          // The box counts as a cube whatever its numbers of zones, so that the ball lies in it and the wave is whole.
          ZoneCentre zone_centre;
          for (int a = 0; a < 3; ++a) zone_centre.at[a] = (number[a] + 0.5) / settings.grid[a];
          set_blast(zone_centre, settings.flat(), zone(i, j, k));
        }
      }
    }
  }
}

double Gas::fastest() const {
  double fastest = 0.0;
  for (size_t at = 0; at < values_.size(); at += variables) {
    const double* zone = values_.data() + at;
    const double speed = std::max({std::abs(zone[2]), std::abs(zone[3]), std::abs(zone[4])});
    fastest = std::max(fastest, speed + std::sqrt(gamma_gas * zone[1] / zone[0]));
  }
  return fastest;
}

}  // namespace vh1
