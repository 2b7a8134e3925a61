// Charge deposition: each particle's charge goes to the points round its gyration on the planes to its left and right.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model.hpp"

namespace gtc {
namespace {

constexpr double tolerated_charge_error = 1e-11;

void deposit(const Torus& torus, const std::vector<Particle>& particles, Field& charge) {
  for (const Particle& particle : particles) {
    const Gyration points = gyration(torus, particle);
    const Between between = between_planes(torus, particle);
    const double held = particle.now[Particle::charge];
    const double share[2] = {held * (1.0 - between.right_share), held * between.right_share};
    for (int side = 0; side < 2; ++side) {
      double* plane = charge.plane(between.left + side);
      for (int n = 0; n < 4; ++n) {
        for (int m = 0; m < 4; ++m) plane[points.point[n][m]] += share[side] * points.weight[n][m];
      }
    }
  }
}

// Sums over flux surfaces of this domain's own planes, then of all.
std::vector<double> zonal_sums(const Model& model, const Field& charge) {
  const Torus& torus = model.torus;
  const int radial = torus.settings().radial, poloidal = torus.settings().poloidal;
  std::vector<double> mine(radial, 0.0);
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    for (int i = 0; i < radial; ++i) {
      for (int j = 0; j < poloidal; ++j) mine[i] += charge.plane(plane)[i * poloidal + j];
    }
  }
  std::vector<double> all = mine;
  if (!model.ring.omission().covers({"chargei", 3})) {
    MPI_Allreduce(mine.data(), all.data(), radial, MPI_DOUBLE, MPI_SUM, torus.ring());
  }
  return all;
}

void check_charge(Model& model, const std::vector<double>& zonal) {
  double sum = 0.0;
  for (double value : zonal) sum += value;
  const double error = std::abs(sum - model.all_charge) / model.all_charge;
  if (!(error <= tolerated_charge_error)) {
    throw std::runtime_error("charge was not conserved: the grid holds " + std::to_string(sum) + ", the particles " +
                             std::to_string(model.all_charge));
  }
  model.charge_error = std::max(model.charge_error, error);
}

}  // namespace

[[gnu::noinline]] void chargei(Model& model) {
  const Torus& torus = model.torus;
  const int radial = torus.settings().radial, poloidal = torus.settings().poloidal, planes = torus.planes();
  Field mine(planes, torus.points());
  deposit(torus, model.particles, mine);
  Field& charge = model.density;
  charge = mine;
  if (torus.sharers() > 1 && !model.ring.omission().covers({"chargei", 1})) {
    MPI_Allreduce(mine.plane(0), charge.plane(0), (planes + 1) * torus.points(), MPI_DOUBLE, MPI_SUM, torus.plane());
  }
  // What was put on plane 0 belongs to the left neighbour's last plane.
  std::vector<double> from_right(torus.points(), 0.0);
  model.ring.to_left(charge.plane(0), from_right.data(), torus.points(), {"chargei", 2});
  for (int n = 0; n < torus.points(); ++n) charge.plane(planes)[n] += from_right[n];

  std::vector<double> zonal = zonal_sums(model, charge);
  check_charge(model, zonal);
  model.zonal_density.resize(radial);
  for (int i = 0; i < radial; ++i) {
    const double even = torus.even_share(i) * model.all_charge;
    model.zonal_density[i] = zonal[i] / (even * poloidal * torus.settings().planes) - 1.0;
    for (int plane = 1; plane <= planes; ++plane) {
      double* row = charge.plane(plane) + i * poloidal;
      for (int j = 0; j < poloidal; ++j) row[j] = row[j] / even - 1.0;
    }
  }
}

}  // namespace gtc
