// Steps of an ocean model with a baroclinic and a barotropic phase, after POP; docs/reference/workloads/pop.md.

#include <cstdio>
#include <memory>
#include <string>

#include "blocks.hpp"
#include "budget.hpp"
#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "ocean.hpp"
#include "settings.hpp"

namespace pop {
namespace {

std::string counted(int number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

int run(const kit::Session& session, int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  kit::Phases phases({"setup", "baroclinic", "barotropic"});
  const Blocks blocks(settings, session.ranks);
  std::unique_ptr<Ensemble> ensemble;
  std::unique_ptr<Budget> budget;
  {
    const auto measurement = phases.measure(Phase::setup);
    ensemble = std::make_unique<Ensemble>(settings, blocks, session.rank);
    budget = std::make_unique<Budget>(*ensemble);
  }
  for (int step = 0; step < settings.steps; ++step) advance(*ensemble, phases);
  const Budget::Result result = budget->compare(*ensemble);
  const std::string times = phases.slowest();
  if (session.rank != 0) return 0;
  const Extent& grid = settings.grid;
  const std::string members = settings.members == 1 ? "" : ", " + counted(settings.members, "member");
  std::printf("pop: grid %dx%dx%d, %s%s, %s in %d x %d blocks, %s, %s with %s: %s, %s\n", grid.nx, grid.ny, grid.nz,
              counted(settings.tracers, "tracer").c_str(), members.c_str(), counted(session.ranks, "rank").c_str(),
              blocks.columns(), blocks.rows(), counted(settings.steps, "step").c_str(),
              counted(ensemble->iterations, "iteration").c_str(),
              settings.solver == Solver::standard ? "standard" : "chrongear", times.c_str(), result.figures.c_str());
  if (result.failures.empty()) return 0;
  std::fprintf(stderr, "pop:%s\n", result.failures.substr(0, result.failures.size() - 1).c_str());
  return 1;
}

}  // namespace
}  // namespace pop

int main(int argc, char** argv) { return kit::run_program({"pop", pop::usage, pop::run}, argc, argv); }
