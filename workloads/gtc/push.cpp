// Particles moved: along the magnetic field, across it by the electric field and by the torus' bend.

#include <algorithm>

#include "model.hpp"

namespace gtc {
namespace {

struct Electric {
  double radial;
  double poloidal;
  double along;
};

Electric felt(const Model& model, const Particle& particle) {
  const Gyration points = gyration(model.torus, particle);
  const Between between = between_planes(model.torus, particle);
  const int grid = model.torus.points();
  double sum[3] = {0.0, 0.0, 0.0};
  for (int side = 0; side < 2; ++side) {
    const double* plane = model.electric.plane(between.left + side);
    const double share = side == 0 ? 1.0 - between.right_share : between.right_share;
    for (int n = 0; n < 4; ++n) {
      for (int m = 0; m < 4; ++m) {
        const double weight = share * points.weight[n][m];
        for (int part = 0; part < 3; ++part) sum[part] += weight * plane[part * grid + points.point[n][m]];
      }
    }
  }
  return {sum[0], sum[1], sum[2]};
}

// Velocities are of the present place, the way begins at the place before the step.
void move(const Model& model, Particle& particle, double dt) {
  const Electric electric = felt(model, particle);
  const double r = particle.now[Particle::radius], theta = particle.now[Particle::theta];
  const double along = particle.now[Particle::parallel], moment = particle.now[Particle::moment];
  const double q = safety_factor(r);
  const double bend = gyroradius * (along * along + moment);  // drift by the field's curvature and gradient
  const double velocity[4] = {gyroradius * electric.poloidal - bend * std::sin(theta),
                              (along / q - gyroradius * electric.radial / r) - bend * std::cos(theta) / r, along,
                              electric.along - moment * r / q * std::sin(theta)};
  for (int n = 0; n < 4; ++n) particle.now[n] = particle.before[n] + dt * velocity[n];
  double& radius = particle.now[Particle::radius];
  if (radius < inner_radius) radius = 2.0 * inner_radius - radius;
  if (radius > outer_radius) radius = 2.0 * outer_radius - radius;
  radius = std::clamp(radius, inner_radius, outer_radius);
  particle.now[Particle::theta] = wrapped(particle.now[Particle::theta]);
  particle.now[Particle::zeta] = wrapped(particle.now[Particle::zeta]);
}

// Keeps the temperature along the field near 1 everywhere, a twentieth of the way each step: sums over flux surfaces of
// all particles, each counted at the two radii it is between.
void hold_temperature(Model& model) {
  const Torus& torus = model.torus;
  const int radial = torus.settings().radial;
  std::vector<double> mine(2 * static_cast<size_t>(radial), 0.0);
  const auto place = [&](const Particle& particle) {
    return std::min((particle.now[Particle::radius] - inner_radius) / torus.dr(), radial - 1.0);
  };
  for (const Particle& particle : model.particles) {
    const double x = place(particle), energy = particle.now[Particle::parallel] * particle.now[Particle::parallel];
    const int i = std::min(static_cast<int>(x), radial - 2);
    mine[i] += 1.0 - (x - i);
    mine[i + 1] += x - i;
    mine[radial + i] += energy * (1.0 - (x - i));
    mine[radial + i + 1] += energy * (x - i);
  }
  std::vector<double> all = mine;
  if (!model.ring.omission().covers({"pushi", 1})) {
    MPI_Allreduce(mine.data(), all.data(), 2 * radial, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  const auto temperature = [&](int i) { return all[radial + i] > 0.0 ? all[radial + i] / all[i] : 1.0; };
  for (Particle& particle : model.particles) {
    const double x = place(particle);
    const int i = std::min(static_cast<int>(x), radial - 2);
    const double here = temperature(i) * (1.0 - (x - i)) + temperature(i + 1) * (x - i);
    particle.now[Particle::parallel] *= 1.0 + 0.05 * (1.0 / std::sqrt(here) - 1.0);
  }
}

}  // namespace

[[gnu::noinline]] void pushi(Model& model, double dt, int stage) {
  for (Particle& particle : model.particles) {
    if (stage == 1) std::copy_n(particle.now, static_cast<int>(Particle::numbers), particle.before);
    move(model, particle, dt);
  }
  if (stage == 2) hold_temperature(model);
}

}  // namespace gtc
