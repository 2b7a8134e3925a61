// Reacting compressible flow with high-order differences, after S3D; docs/reference/workloads/s3d.md.

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string>

#include "checks.hpp"
#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace s3d {
namespace {

constexpr double tolerated_imbalance = 1e-11;
constexpr double least_order = 7.5;

struct Outcome {
  double imbalance;  // on rank 0, as the next
  double burnt;      // share of the fuel
  double deviation;  // from the exact solution; 0 without one
  uint64_t fingerprint;
  double time;
  double hottest;
  std::string blocks;
};

// dt: 0 to take the longest the flow allows whenever it is looked at.
Outcome run_to_end(const Settings& settings, const kit::Session& session, double& dt, kit::Phases& phases) {
  Model model(settings, session.rank, session.ranks);
  const Totals beginning = totals(model);
  const bool chosen = dt != 0.0;
  for (int step = 0; step < settings.steps; ++step) {
    if (step % settings.monitor_every == 0) {
      const auto measurement = phases.measure(Phase::monitor);
      monitor(model);
      // Where there is an exact solution the step stays as it is, so that a run of half the spacing can fit it.
      if (dt == 0.0 || (!chosen && !settings.exact())) dt = model.longest_step();
    }
    advance(model, dt, phases);
  }
  const Totals end = totals(model);
  return {imbalance(beginning, end),
          1.0 - end[6].value() / beginning[6].value(),
          settings.exact() ? deviation(model) : 0.0,
          fingerprint(model),
          model.time,
          model.hottest,
          model.blocks.described()};
}

std::string counted(int number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

int run(const kit::Session& session, int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  kit::Phases phases({"setup", "gradients", "divergence", "reaction", "filter", "monitor"});
  double dt = 0.0;
  const Outcome outcome = run_to_end(settings, session, dt, phases);
  double order = 0.0, imbalance = outcome.imbalance;
  if (settings.exact()) {
    // The differences are of eighth order, the stages of fourth: steps a quarter as long make one of both.
    Settings finer = settings;
    for (int& points : finer.grid) points *= 2;
    finer.steps *= 4;
    dt /= 4.0;
    const Outcome fine = run_to_end(finer, session, dt, phases);
    order = std::log2(outcome.deviation / fine.deviation);
    imbalance = std::max(imbalance, fine.imbalance);
  }
  const std::string times = phases.slowest();
  if (session.rank != 0) return 0;
  std::printf("s3d: %s, grid %dx%dx%d, %s in %s, %s to t = %.6f: %s, imbalance %.1e, ", settings.problem.c_str(),
              settings.grid[0], settings.grid[1], settings.grid[2], counted(session.ranks, "rank").c_str(),
              outcome.blocks.c_str(), counted(settings.steps, "step").c_str(), outcome.time, times.c_str(), imbalance);
  if (settings.exact()) {
    std::printf("off the exact solution by %.2e, order %.2f, ", outcome.deviation, order);
  } else {
    std::printf("hottest %.6f, burnt %.3f %% of the fuel, ", outcome.hottest, 100.0 * outcome.burnt);
  }
  std::printf("fingerprint %016" PRIx64 "\n", outcome.fingerprint);
  if (!(imbalance <= tolerated_imbalance)) {
    std::fprintf(stderr, "s3d: mass, momentum, energy or atoms are not conserved\n");
    return 1;
  }
  if (settings.exact() && !(order >= least_order)) {
    std::fprintf(stderr, "s3d: the order of convergence is below %.1f\n", least_order);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace s3d

int main(int argc, char** argv) { return kit::run_program({"s3d", s3d::usage, s3d::run}, argc, argv); }
