#include "ocean.hpp"

#include <cmath>

namespace pop {
namespace {

// Degrees north and east of the middle of a cell, and its level's depth.
double initial_temperature(double north, double east, double depth) {
  const double by_depth = std::exp(-depth / 800.0);
  return 4.0 + (20.0 * std::cos(north) * std::cos(north) + std::sin(3.0 * east) * std::cos(4.0 * north)) * by_depth;
}

double initial_salinity(double north, double east, double depth) {
  return 35.0 + (0.5 * std::cos(2.0 * north) + 0.1 * std::sin(2.0 * east)) * std::exp(-depth / 500.0);
}

double initial_dye(int number, double north, double east, double depth) {
  return 1.0 + 0.5 * std::cos(number * east) * std::cos(2.0 * north) * std::exp(-depth / 1000.0);
}

// Eastward and northward; none on average over the depth, so that the sea level is not disturbed.
double initial_u(double north, double east, double depth) {
  const double share = std::cos(north) * std::cos(north) * std::cos(M_PI * depth / depth_m);
  return 0.8 * (1.0 + 0.3 * std::sin(2.0 * east)) * share;
}

double initial_v(double north, double east, double depth) {
  return 0.4 * std::sin(2.0 * east) * std::cos(north) * std::cos(north) * std::cos(M_PI * depth / depth_m);
}

// A hill of water in the tropics; in the seiche the slowest wave from wall to wall.
double initial_sea_level(const Grid& grid, int i, int j) {
  if (!grid.on_sphere) return 1e-3 * std::cos(M_PI * (grid.block.y_first + j + 0.5) / grid.extent.ny);
  const double north = grid.latitude(j) - 0.35;
  const double east = std::sin(0.5 * (grid.longitude(i) - 2.1));
  return 0.5 * std::exp(-(north * north + 4.0 * east * east) / 0.08);
}

std::vector<std::unique_ptr<Ocean>> all_members(const Settings& settings, const Blocks& blocks, int rank) {
  std::vector<std::unique_ptr<Ocean>> all;
  for (int n = 0; n < settings.members; ++n) {
    all.push_back(std::make_unique<Ocean>(settings, blocks, rank, settings.first_member + n));
  }
  return all;
}

}  // namespace

Ocean::Ocean(const Settings& chosen, const Blocks& blocks, int rank, int number)
    : settings(chosen),
      member(number),
      grid(settings, blocks.block(rank)),
      halo(settings, blocks, rank),
      u(grid.block, grid.extent.nz),
      v(u),
      sea_level(grid.block, 1),
      sea_level_before(sea_level),
      mixing(u),
      u_mean(sea_level),
      v_mean(sea_level) {
  tracers.assign(settings.tracers, u);
  for (int j = -halo_width; j < grid.block.ny + halo_width; ++j) {
    for (int i = -halo_width; i < grid.block.nx + halo_width; ++i) {
      if (grid.wet(i, j) == 0.0) continue;
      sea_level(i, j) = perturbation(member) * initial_sea_level(grid, i, j);
      const double north = grid.latitude(j);
      const double east = grid.longitude(i);
      for (int k = 0; k < grid.extent.nz; ++k) {
        tracers[0](i, j, k) = grid.on_sphere ? initial_temperature(north, east, grid.z[k]) : 10.0;
        tracers[1](i, j, k) = grid.on_sphere ? initial_salinity(north, east, grid.z[k]) : 35.0;
        if (grid.on_sphere && grid.corner_wet(i, j) != 0.0) {
          u(i, j, k) = initial_u(north, east, grid.z[k]);
          v(i, j, k) = initial_v(north, east, grid.z[k]);
        }
        for (int n = 2; n < settings.tracers; ++n) tracers[n](i, j, k) = initial_dye(n - 1, north, east, grid.z[k]);
      }
    }
  }
}

std::vector<Field*> Ocean::all_tracers() {
  std::vector<Field*> all;
  for (Field& tracer : tracers) all.push_back(&tracer);
  return all;
}

double perturbation(int member) { return 1.0 + 0.3 * std::sin(static_cast<double>(member)); }

Ensemble::Ensemble(const Settings& settings, const Blocks& blocks, int rank)
    : members(all_members(settings, blocks, rank)), solver(members[0]->grid, settings.members) {}

std::vector<Field*> Ensemble::every(std::initializer_list<Field Ocean::*> fields) {
  std::vector<Field*> all;
  for (const auto& ocean : members) {
    for (Field Ocean::* field : fields) all.push_back(&(ocean.get()->*field));
  }
  return all;
}

void advance(Ensemble& ensemble, kit::Phases& phases) {
  {
    const auto measurement = phases.measure(Phase::baroclinic);
    for (const auto& ocean : ensemble.members) {
      mixing_coefficients(*ocean);
      momentum(*ocean);
    }
  }
  {
    const auto measurement = phases.measure(Phase::barotropic);
    barotropic(ensemble);
  }
  const auto measurement = phases.measure(Phase::baroclinic);
  for (const auto& ocean : ensemble.members) tracer_transport(*ocean);
}

void mix_column(const std::vector<double>& thickness, const std::vector<double>& exchange, double drag,
                std::vector<double>& values) {
  // Thomas' algorithm, on thickness * new = thickness * old + what comes through top and bottom.
  const int n = static_cast<int>(values.size());
  std::vector<double> upper(n, 0.0);
  for (int k = 0; k < n; ++k) {
    const double above = k > 0 ? exchange[k - 1] : 0.0;
    const double below = k + 1 < n ? exchange[k] : drag;
    const double pivot = thickness[k] + below + above * (1.0 - (k > 0 ? upper[k - 1] : 0.0));
    upper[k] = below / pivot;
    values[k] = (thickness[k] * values[k] + (k > 0 ? above * values[k - 1] : 0.0)) / pivot;
  }
  for (int k = n - 2; k >= 0; --k) values[k] += upper[k] * values[k + 1];
}

}  // namespace pop
