// Gyrokinetic-like particles in a torus, after GTC; docs/reference/workloads/gtc.md.

#include <mpi.h>

#include <cinttypes>
#include <cstdio>
#include <stdexcept>

#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace gtc {
namespace {

// One stage: the field of the particles' present places moves them by dt since the beginning of the step.
void advance(Model& model, kit::Phases& phases, double dt, int stage) {
  {
    const auto measurement = phases.measure(Phase::charge);
    chargei(model);
  }
  {
    const auto measurement = phases.measure(Phase::smooth);
    smooth_density(model);
  }
  {
    const auto measurement = phases.measure(Phase::poisson);
    poisson(model);
  }
  {
    const auto measurement = phases.measure(Phase::smooth);
    smooth_potential(model);
  }
  {
    const auto measurement = phases.measure(Phase::field);
    field(model);
  }
  {
    const auto measurement = phases.measure(Phase::push);
    pushi(model, dt, stage);
  }
  const auto measurement = phases.measure(Phase::shift);
  shifti(model);
}

// Mean squares, which tell two runs apart: of the potential over the grid, and of the parallel speed over particles.
struct Means {
  double potential;
  double speed;
};

Means means(const Model& model) {
  const Torus& torus = model.torus;
  double mine[2] = {0.0, 0.0}, all[2] = {0.0, 0.0};
  for (int plane = 1; plane <= torus.planes(); ++plane) {
    for (int n = 0; n < torus.points(); ++n) {
      const double value = model.potential.plane(plane)[n];
      mine[0] += value * value;
    }
  }
  for (const Particle& particle : model.particles) {
    mine[1] += particle.now[Particle::parallel] * particle.now[Particle::parallel];
  }
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const double points = static_cast<double>(torus.points()) * torus.settings().planes;
  return {all[0] / points / torus.sharers(), all[1] / static_cast<double>(torus.settings().particles)};
}

// The line a run ends with; false where particles were lost. Collective over MPI_COMM_WORLD.
bool print_result(const Model& model, const kit::Phases& phases, const kit::Session& session) {
  const Holdings before = everybodys(model.beginning), after = everybodys(held(model.particles));
  const double mine[2] = {model.charge_error, model.residual};
  double worst[2] = {0.0, 0.0};
  MPI_Reduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const Means mean = means(model);
  const std::string times = phases.slowest();
  if (session.rank != 0) return true;
  const Settings& settings = model.torus.settings();
  std::printf(
      "gtc: grid %dx%dx%d, %ld particles, %d rank%s in %s, %d step%s: %s, charge error %.1e, field residual %.1e, "
      "potential^2 %.9e, speed^2 %.9e\n",
      settings.radial, settings.poloidal, settings.planes, after.particles, session.ranks,
      session.ranks == 1 ? "" : "s", model.torus.described().c_str(), settings.steps, settings.steps == 1 ? "" : "s",
      times.c_str(), worst[0], worst[1], mean.potential, mean.speed);
  if (after == before && before.particles == settings.particles) return true;
  std::fprintf(stderr, "gtc: particles lost or changed: %ld at the start, %ld at the end\n", before.particles,
               after.particles);
  return false;
}

int run(const kit::Session& session, int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  kit::Phases phases({"setup", "charge", "smooth", "poisson", "field", "push", "shift"});
  Model model(settings, session.rank, session.ranks);
  for (int n = 0; n < settings.steps; ++n) {
    advance(model, phases, 0.5 * step, 1);
    advance(model, phases, step, 2);
  }
  return print_result(model, phases, session) ? 0 : 1;
}

}  // namespace
}  // namespace gtc

int main(int argc, char** argv) { return kit::run_program({"gtc", gtc::usage, gtc::run}, argc, argv); }
