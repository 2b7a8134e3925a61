#include "tendencies.hpp"

#include <cmath>

namespace wrf {
namespace {

// Of the Laplacian's Laplacian, 1/s, and of divergence, m^2/s.
double diffusion(const Atmosphere& a) { return 0.006 / a.step_s; }
double damping(const Atmosphere& a) { return 0.02 * a.dx * a.dx / a.step_s; }

// What a flux of mass carries through a face, of six values in a row across it: upstream-biased, of fifth order
// (Wicker, Skamarock 2002).
template <typename Value>
double carried(double flux, Value at) {
  const double even = 37.0 * (at(0) + at(-1)) - 8.0 * (at(1) + at(-2)) + (at(2) + at(-3));
  const double odd = (at(2) - at(-3)) - 5.0 * (at(1) - at(-2)) + 10.0 * (at(0) - at(-1));
  return (flux * even - std::abs(flux) * odd) / 60.0;
}

double eastward(double flux, const Field& f, int i, int j, int k) {
  return carried(flux, [&](int n) { return f(i + n, j, k); });
}

double northward(double flux, const Field& f, int i, int j, int k) {
  return carried(flux, [&](int n) { return f(i, j + n, k); });
}

double mean_of(double one, double other) { return 0.5 * (one + other); }

double laplacian(const Field& f, int i, int j, int k) {
  return ((f(i + 1, j, k) + f(i - 1, j, k)) + (f(i, j + 1, k) + f(i, j - 1, k))) - 4.0 * f(i, j, k);
}

void take_laplacian(const Tile& tile, const Field& f, Field& target) {
  for (int k = 0; k < f.levels(); ++k) {
    for (int j = 0; j < tile.ny; ++j) {
      for (int i = 0; i < tile.nx; ++i) target(i, j, k) = laplacian(f, i, j, k);
    }
  }
}

// The loss of a conserved quantity by diffusion, as fluxes between cells: nothing is lost on the whole.
double diffused(const Atmosphere& a, const Field& curvature, int i, int j, int k) {
  const Field& density = a.air.density;
  const auto east = [&](int m) {
    return mean_of(density(m - 1, j, k), density(m, j, k)) * (curvature(m, j, k) - curvature(m - 1, j, k));
  };
  const auto north = [&](int b) {
    return mean_of(density(i, b - 1, k), density(i, b, k)) * (curvature(i, b, k) - curvature(i, b - 1, k));
  };
  return diffusion(a) * ((east(i + 1) - east(i)) + (north(j + 1) - north(j)));
}

// Of a quantity in the cells, per second, carried by the momenta given.
class Inflow {
 public:
  Inflow(const Atmosphere& a, const Field& east, const Field& north, const Field& up)
      : dx_(a.dx), dz_(a.dz), nz_(a.nz()), east_(east), north_(north), up_(up) {}

  double operator()(const Field& f, int i, int j, int k) const {
    const double in_x = eastward(east_(i + 1, j, k), f, i + 1, j, k) - eastward(east_(i, j, k), f, i, j, k);
    const double in_y = northward(north_(i, j + 1, k), f, i, j + 1, k) - northward(north_(i, j, k), f, i, j, k);
    const double above = k + 1 < nz_ ? up_(i, j, k + 1) * mean_of(f(i, j, k), f(i, j, k + 1)) : 0.0;
    const double below = k > 0 ? up_(i, j, k) * mean_of(f(i, j, k - 1), f(i, j, k)) : 0.0;
    return -((in_x + in_y) / dx_ + (above - below) / dz_);
  }

 private:
  double dx_;
  double dz_;
  int nz_;
  const Field& east_;
  const Field& north_;
  const Field& up_;
};

double east_rate(const Atmosphere& a, const Field& curvature, int i, int j, int k) {
  const State& s = a.now;
  const Diagnosis& air = a.air;
  const auto x_flux = [&](int m) { return mean_of(s.east(m, j, k), s.east(m + 1, j, k)); };
  const auto y_flux = [&](int b) { return mean_of(s.north(i - 1, b, k), s.north(i, b, k)); };
  const auto z_flux = [&](int c) {
    if (c == 0 || c == a.nz()) return 0.0;
    return mean_of(s.up(i - 1, j, c), s.up(i, j, c)) * mean_of(air.u(i, j, c - 1), air.u(i, j, c));
  };
  const double in_x = eastward(x_flux(i), air.u, i + 1, j, k) - eastward(x_flux(i - 1), air.u, i, j, k);
  const double in_y = northward(y_flux(j + 1), air.u, i, j + 1, k) - northward(y_flux(j), air.u, i, j, k);
  const double in_z = z_flux(k + 1) - z_flux(k);
  const double turn =
      coriolis * 0.25 * ((s.north(i - 1, j, k) + s.north(i, j, k)) + (s.north(i - 1, j + 1, k) + s.north(i, j + 1, k)));
  const double push = (air.pressure(i, j, k) - air.pressure(i - 1, j, k)) / a.dx;
  const double damped = damping(a) * (air.divergence(i, j, k) - air.divergence(i - 1, j, k)) / a.dx;
  const double rho = mean_of(air.density(i - 1, j, k), air.density(i, j, k));
  return -((in_x + in_y) / a.dx + in_z / a.dz) + turn - push + damped -
         diffusion(a) * rho * laplacian(curvature, i, j, k);
}

double north_rate(const Atmosphere& a, const Field& curvature, int i, int j, int k) {
  const State& s = a.now;
  const Diagnosis& air = a.air;
  const auto x_flux = [&](int m) { return mean_of(s.east(m, j - 1, k), s.east(m, j, k)); };
  const auto y_flux = [&](int b) { return mean_of(s.north(i, b, k), s.north(i, b + 1, k)); };
  const auto z_flux = [&](int c) {
    if (c == 0 || c == a.nz()) return 0.0;
    return mean_of(s.up(i, j - 1, c), s.up(i, j, c)) * mean_of(air.v(i, j, c - 1), air.v(i, j, c));
  };
  const double in_x = eastward(x_flux(i + 1), air.v, i + 1, j, k) - eastward(x_flux(i), air.v, i, j, k);
  const double in_y = northward(y_flux(j), air.v, i, j + 1, k) - northward(y_flux(j - 1), air.v, i, j, k);
  const double in_z = z_flux(k + 1) - z_flux(k);
  const double turn =
      coriolis * 0.25 * ((s.east(i, j - 1, k) + s.east(i, j, k)) + (s.east(i + 1, j - 1, k) + s.east(i + 1, j, k)));
  const double push = (air.pressure(i, j, k) - air.pressure(i, j - 1, k)) / a.dx;
  const double damped = damping(a) * (air.divergence(i, j, k) - air.divergence(i, j - 1, k)) / a.dx;
  const double rho = mean_of(air.density(i, j - 1, k), air.density(i, j, k));
  return -((in_x + in_y) / a.dx + in_z / a.dz) - turn - push + damped -
         diffusion(a) * rho * laplacian(curvature, i, j, k);
}

// For k from 1 to nz - 1.
double up_rate(const Atmosphere& a, const Field& curvature, int i, int j, int k) {
  const State& s = a.now;
  const Diagnosis& air = a.air;
  const auto x_flux = [&](int m) { return mean_of(s.east(m, j, k - 1), s.east(m, j, k)); };
  const auto y_flux = [&](int b) { return mean_of(s.north(i, b, k - 1), s.north(i, b, k)); };
  const auto z_flux = [&](int c) {
    return mean_of(s.up(i, j, c), s.up(i, j, c + 1)) * mean_of(air.w(i, j, c), air.w(i, j, c + 1));
  };
  const double in_x = eastward(x_flux(i + 1), air.w, i + 1, j, k) - eastward(x_flux(i), air.w, i, j, k);
  const double in_y = northward(y_flux(j + 1), air.w, i, j + 1, k) - northward(y_flux(j), air.w, i, j, k);
  const double in_z = z_flux(k) - z_flux(k - 1);
  const double push = (air.pressure(i, j, k) - air.pressure(i, j, k - 1)) / a.dz;
  const double weight = gravity * mean_of(s.density(i, j, k - 1), s.density(i, j, k));
  const double rho = mean_of(air.density(i, j, k - 1), air.density(i, j, k));
  return -((in_x + in_y) / a.dx + in_z / a.dz) - push - weight - diffusion(a) * rho * laplacian(curvature, i, j, k);
}

}  // namespace

Laplacians::Laplacians(const Atmosphere& atmosphere)
    : u(atmosphere.air.u),
      v(atmosphere.air.v),
      w(atmosphere.air.w),
      theta(atmosphere.air.theta),
      tracers{theta, theta, theta, theta} {}

std::vector<Field*> Laplacians::all() {
  std::vector<Field*> fields{&u, &v, &w, &theta};
  for (Field& tracer : tracers) fields.push_back(&tracer);
  return fields;
}

void work_out_laplacians(const Atmosphere& atmosphere, Laplacians& laplacians) {
  take_laplacian(atmosphere.tile, atmosphere.air.u, laplacians.u);
  take_laplacian(atmosphere.tile, atmosphere.air.v, laplacians.v);
  take_laplacian(atmosphere.tile, atmosphere.air.w, laplacians.w);
  take_laplacian(atmosphere.tile, atmosphere.air.theta, laplacians.theta);
  for (int n = 0; n < tracer_count; ++n) {
    take_laplacian(atmosphere.tile, atmosphere.tracers[n], laplacians.tracers[n]);
  }
}

[[gnu::noinline]] void work_out_tendencies(const Atmosphere& atmosphere, const Laplacians& laplacians, State& rates) {
  const Tile& tile = atmosphere.tile;
  const State& now = atmosphere.now;
  const Diagnosis& air = atmosphere.air;
  const Inflow inflow(atmosphere, now.east, now.north, now.up);
  for (int k = 0; k < atmosphere.nz(); ++k) {
    for (int j = 0; j < tile.ny; ++j) {
      const bool wall = atmosphere.at_southern_wall() && j == 0;
      for (int i = 0; i < tile.nx; ++i) {
        rates.east(i, j, k) = east_rate(atmosphere, laplacians.u, i, j, k);
        rates.north(i, j, k) = wall ? 0.0 : north_rate(atmosphere, laplacians.v, i, j, k);
        if (k > 0) rates.up(i, j, k) = up_rate(atmosphere, laplacians.w, i, j, k);
        rates.density(i, j, k) = -(air.divergence(i, j, k) + (now.up(i, j, k + 1) - now.up(i, j, k)) / atmosphere.dz);
        rates.heat(i, j, k) = inflow(air.theta, i, j, k) - diffused(atmosphere, laplacians.theta, i, j, k);
      }
    }
  }
}

[[gnu::noinline]] void carry_tracers(Atmosphere& atmosphere, const Laplacians& laplacians,
                                     const std::array<Field, tracer_count>& before, const Field& density_before,
                                     double stage_s) {
  const Tile& tile = atmosphere.tile;
  const Inflow inflow(atmosphere, atmosphere.mean_east, atmosphere.mean_north, atmosphere.mean_up);
  for (int n = 0; n < tracer_count; ++n) {
    Field carried(atmosphere.tracers[n]);
    for (int k = 0; k < atmosphere.nz(); ++k) {
      for (int j = 0; j < tile.ny; ++j) {
        for (int i = 0; i < tile.nx; ++i) {
          const double rate =
              inflow(atmosphere.tracers[n], i, j, k) - diffused(atmosphere, laplacians.tracers[n], i, j, k);
          const double held = density_before(i, j, k) * before[n](i, j, k) + stage_s * rate;
          carried(i, j, k) = held / (atmosphere.base.density[k] + atmosphere.now.density(i, j, k));
        }
      }
    }
    atmosphere.tracers[n] = carried;
  }
}

}  // namespace wrf
