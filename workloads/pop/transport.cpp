// Tracers: advection in three Runge-Kutta stages, then biharmonic and vertical diffusion. Every flux leaves one cell
// and enters another, and the water of a cell changes as its fluxes say, so everything is conserved and uniform fields
// stay uniform.

#include "ocean.hpp"

namespace pop {
namespace {

struct Fluxes {
  Field east, north, up;  // of water through the eastern, the northern face and the top, m^3/s
};

Fluxes fluxes_of(const Ocean& ocean) {
  const Grid& grid = ocean.grid;
  const Field empty(grid.block, grid.extent.nz);
  Fluxes water{empty, empty, empty};
  for (int k = grid.extent.nz - 1; k >= 0; --k) {
    for (int j = -1; j < grid.block.ny; ++j) {
      for (int i = -1; i < grid.block.nx; ++i) {
        water.east(i, j, k) = grid.dz[k] * grid.eastward(ocean.u, i, j, k);
        water.north(i, j, k) = grid.dz[k] * grid.northward(ocean.v, i, j, k);
      }
    }
    for (int j = 0; j < grid.block.ny; ++j) {
      for (int i = 0; i < grid.block.nx; ++i) {
        const double out =
            (water.east(i, j, k) - water.east(i - 1, j, k)) + (water.north(i, j, k) - water.north(i, j - 1, k));
        water.up(i, j, k) = (k + 1 < grid.extent.nz ? water.up(i, j, k + 1) : 0.0) - out;
      }
    }
  }
  return water;
}

// Between cells in a row, upstream-biased of third order; beyond the shore the last cell's value holds.
double at_face(double behind, bool behind_is_wet, double upstream, double downstream) {
  return (5.0 * upstream + 2.0 * downstream - (behind_is_wet ? behind : upstream)) / 6.0;
}

class Carrier {
 public:
  Carrier(const Grid& grid, const Fluxes& water, const Field& c) : grid_(grid), water_(water), c_(c) {}

  // What leaves a cell in all, per second; the surface moves with the water, so nothing passes through it.
  double outflow(int i, int j, int k) const {
    double out = (east(i, j, k) - east(i - 1, j, k)) + (north(i, j, k) - north(i, j - 1, k));
    if (k > 0) out += up(i, j, k);
    if (k + 1 < grid_.extent.nz) out -= up(i, j, k + 1);
    return out;
  }

 private:
  double east(int i, int j, int k) const {
    const double flux = water_.east(i, j, k);
    if (flux == 0.0) return 0.0;
    const double near = c_(i, j, k);
    const double far = c_(i + 1, j, k);
    return flux > 0.0 ? flux * at_face(c_(i - 1, j, k), grid_.wet(i - 1, j) != 0.0, near, far)
                      : flux * at_face(c_(i + 2, j, k), grid_.wet(i + 2, j) != 0.0, far, near);
  }
  double north(int i, int j, int k) const {
    const double flux = water_.north(i, j, k);
    if (flux == 0.0) return 0.0;
    const double near = c_(i, j, k);
    const double far = c_(i, j + 1, k);
    return flux > 0.0 ? flux * at_face(c_(i, j - 1, k), grid_.wet(i, j - 1) != 0.0, near, far)
                      : flux * at_face(c_(i, j + 2, k), grid_.wet(i, j + 2) != 0.0, far, near);
  }
  double up(int i, int j, int k) const { return water_.up(i, j, k) * 0.5 * (c_(i, j, k) + c_(i, j, k - 1)); }

  const Grid& grid_;
  const Fluxes& water_;
  const Field& c_;
};

// A cell's thickness a share of the step after its beginning: the first level ends at the sea level.
double thickness(const Ocean& ocean, int i, int j, int k, double share) {
  if (k > 0) return ocean.grid.dz[k];
  const double before = ocean.sea_level_before(i, j);
  return ocean.grid.dz[0] + before + share * (ocean.sea_level(i, j) - before);
}

void carry(const Ocean& ocean, const Fluxes& water, const Field& beginning, const Field& there, double share,
           Field& target) {
  const Grid& grid = ocean.grid;
  const Carrier carrier(grid, water, there);
  for (int k = 0; k < grid.extent.nz; ++k) {
    for (int j = 0; j < grid.block.ny; ++j) {
      for (int i = 0; i < grid.block.nx; ++i) {
        if (grid.wet(i, j) == 0.0) continue;
        const double held = thickness(ocean, i, j, k, 0.0) * beginning(i, j, k);
        const double lost = share * grid.step_s * carrier.outflow(i, j, k) / grid.area(j);
        target(i, j, k) = (held - lost) / thickness(ocean, i, j, k, share);
      }
    }
  }
}

// Biharmonic, as fluxes of the Laplacian between wet cells; both in units of the grid's spacing.
void diffuse(const Ocean& ocean, const Field& before, Field& target) {
  constexpr double strength = 0.005;
  const Grid& grid = ocean.grid;
  Field curvature(grid.block, 1);
  for (int k = 0; k < grid.extent.nz; ++k) {
    const auto step = [&](int i, int j, int a, int b) {
      return grid.wet(i, j) * grid.wet(i + a, j + b) * (before(i + a, j + b, k) - before(i, j, k));
    };
    for (int j = -1; j <= grid.block.ny; ++j) {
      for (int i = -1; i <= grid.block.nx; ++i) {
        curvature(i, j) = (step(i, j, 1, 0) + step(i, j, -1, 0)) + (step(i, j, 0, 1) + step(i, j, 0, -1));
      }
    }
    const auto east = [&](int i, int j) {
      return grid.area(j) * grid.wet(i, j) * grid.wet(i + 1, j) * (curvature(i + 1, j) - curvature(i, j));
    };
    const auto north = [&](int i, int j) {
      return grid.corner_dx(j) * grid.dy * grid.wet(i, j) * grid.wet(i, j + 1) *
             (curvature(i, j + 1) - curvature(i, j));
    };
    for (int j = 0; j < grid.block.ny; ++j) {
      for (int i = 0; i < grid.block.nx; ++i) {
        const double out = (east(i, j) - east(i - 1, j)) + (north(i, j) - north(i, j - 1));
        target(i, j, k) =
            before(i, j, k) - strength * grid.dz[k] * out / (grid.area(j) * thickness(ocean, i, j, k, 1.0));
      }
    }
  }
}

void mix_vertically(const Ocean& ocean, Field& tracer) {
  const Grid& grid = ocean.grid;
  const int nz = grid.extent.nz;
  std::vector<double> heights(grid.dz), exchange(nz, 0.0), values(nz);
  for (int j = 0; j < grid.block.ny; ++j) {
    for (int i = 0; i < grid.block.nx; ++i) {
      if (grid.wet(i, j) == 0.0) continue;
      heights[0] = thickness(ocean, i, j, 0, 1.0);
      for (int k = 0; k < nz; ++k) values[k] = tracer(i, j, k);
      for (int k = 0; k + 1 < nz; ++k) exchange[k] = grid.step_s * ocean.mixing(i, j, k) / grid.dz_between(k);
      mix_column(heights, exchange, 0.0, values);
      for (int k = 0; k < nz; ++k) tracer(i, j, k) = values[k];
    }
  }
}

}  // namespace

[[gnu::noinline]] void tracer_transport(Ocean& ocean) {
  const Fluxes water = fluxes_of(ocean);
  const std::vector<Field> beginning = ocean.tracers;
  std::vector<Field> there = ocean.tracers;
  int exchange = 0;
  for (double share : {1.0 / 3.0, 0.5, 1.0}) {
    for (size_t n = 0; n < there.size(); ++n) carry(ocean, water, beginning[n], there[n], share, ocean.tracers[n]);
    ocean.halo.update({"tracer_transport", ++exchange}, ocean.all_tracers());
    there = ocean.tracers;
  }
  for (size_t n = 0; n < there.size(); ++n) {
    diffuse(ocean, there[n], ocean.tracers[n]);
    mix_vertically(ocean, ocean.tracers[n]);
  }
  ocean.halo.update({"tracer_transport", ++exchange}, ocean.all_tracers());
}

}  // namespace pop
