// A dry atmosphere in a periodic channel, after WRF's case em_b_wave; docs/reference/workloads/wrf.md.

#include <cstdio>
#include <memory>
#include <string>

#include "atmosphere.hpp"
#include "checks.hpp"
#include "history.hpp"
#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "settings.hpp"
#include "tiles.hpp"

namespace wrf {
namespace {

constexpr int steps_between_outputs = 6;

struct Phase {
  enum : size_t { setup, dynamics, output };
};

std::string counted(int number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// The steps, and every hour the output; stops if that contains a NaN or an infinity.
void integrate(Atmosphere& atmosphere, History& history, kit::Phases& phases) {
  for (int step = 1; step <= atmosphere.settings.steps; ++step) {
    {
      const auto measurement = phases.measure(Phase::dynamics);
      advance(atmosphere);
    }
    if (step % steps_between_outputs != 0) continue;
    const auto measurement = phases.measure(Phase::output);
    if (!history.write(atmosphere)) return;
  }
}

int run(const kit::Session& session, int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  kit::Phases phases({"setup", "dynamics", "output"});
  const Tiles tiles(settings, session.ranks);
  std::unique_ptr<Atmosphere> atmosphere;
  std::unique_ptr<Checks> checks;
  {
    const auto measurement = phases.measure(Phase::setup);
    atmosphere = std::make_unique<Atmosphere>(settings, tiles, session.rank);
    checks = std::make_unique<Checks>(*atmosphere);
  }
  History history(*atmosphere, tiles, session.rank);
  integrate(*atmosphere, history, phases);
  const Checks::Result result = checks->compare(*atmosphere, history);
  const std::string times = phases.slowest();
  if (session.rank != 0) return 0;
  const Extent& grid = settings.grid;
  std::printf("wrf: grid %dx%dx%d, %s in %d x %d tiles, %s: %s, %s\n", grid.nx, grid.ny, grid.nz,
              counted(session.ranks, "rank").c_str(), tiles.columns(), tiles.rows(),
              counted(settings.steps, "step").c_str(), times.c_str(), result.figures.c_str());
  if (result.failures.empty()) return 0;
  std::fprintf(stderr, "wrf:%s\n", result.failures.substr(0, result.failures.size() - 1).c_str());
  return 1;
}

}  // namespace
}  // namespace wrf

int main(int argc, char** argv) { return kit::run_program({"wrf", wrf::usage, wrf::run}, argc, argv); }
