// Off-line transport and reaction of tracers in a closed sea, after the OPATM-BFM model;
// docs/reference/workloads/opatm.md.

#include <omp.h>

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "hints.hpp"
#include "input.hpp"
#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "make_input.hpp"
#include "model.hpp"
#include "output.hpp"
#include "settings.hpp"

namespace opatm {
namespace {

constexpr double tolerated_mass_error = 1e-10;

std::string counted(int number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// The line a run ends with. False where mass is not conserved. Collective over MPI_COMM_WORLD.
bool print_result(Model& model, Output& output, const kit::Phases& phases, int rank) {
  const double mass_error = model.budget.relative_error();
  const uint64_t checksum = output.finish();
  const std::string times = phases.slowest();
  if (rank != 0) return true;
  const Settings& settings = model.settings;
  std::printf("opatm: grid %dx%dx%d, %s, %s in %s, %s: %s, mass error %.1e, checksum %016" PRIx64 "\n",
              settings.grid.nx, settings.grid.ny, settings.grid.nz, counted(settings.tracers, "tracer").c_str(),
              counted(model.decomposition.ranks(), "rank").c_str(), model.decomposition.described().c_str(),
              counted(settings.steps, "step").c_str(), times.c_str(), mass_error, checksum);
  return mass_error <= tolerated_mass_error;
}

int run(const kit::Session& session, int argc, char** argv) {
  Settings settings = read_settings(argc, argv);
  omp_set_num_threads(settings.threads);
  if (!settings.make_input.empty()) {
    make_input(settings, session.rank);
    return 0;
  }
  kit::Phases phases({"input", "setup", "advection", "diffusion", "reaction", "update", "output"});
  std::unique_ptr<Input> input;
  std::string hints;
  std::unique_ptr<Forcing> forcing;
  std::unique_ptr<Model> model;
  std::unique_ptr<Output> output;
  {
    const auto measurement = phases.measure(Phase::input);
    input = std::make_unique<Input>(settings);
  }
  if (settings.hints_are_tried) {
    const auto measurement = phases.measure(Phase::setup);
    hints = choose_hints(settings, session.rank, session.ranks);
    input = std::make_unique<Input>(settings);  // now that the grid is known: opened again, with the hints
  }
  {
    const auto measurement = phases.measure(Phase::input);
    forcing = input->read_forcing(settings, session.rank, session.ranks);
  }
  {
    const auto measurement = phases.measure(Phase::setup);
    model = std::make_unique<Model>(settings, std::move(forcing), session.rank, session.ranks);
    output = std::make_unique<Output>(settings, model->decomposition, session.rank);
    if (!input->has_state()) model->set_initial_state();
  }
  if (input->has_state()) {
    const auto measurement = phases.measure(Phase::input);
    input->read_state(*model);
  }
  {
    const auto measurement = phases.measure(Phase::setup);
    model->begin();
  }
  const int last = settings.steps_before + settings.steps;
  for (int step = settings.steps_before + 1; step <= last; ++step) {
    const bool output_follows = step % steps_between_outputs == 0 || step == last;
    advance(*model, step, output_follows, phases);
    if (!output_follows) continue;
    const auto measurement = phases.measure(Phase::output);
    trcwri(*output, *model, step);
  }
  if (!settings.save.empty()) {
    const auto measurement = phases.measure(Phase::output);
    save_state(*model);
  }
  if (session.rank == 0 && !hints.empty()) std::printf("opatm: hints %s\n", hints.c_str());
  if (print_result(*model, *output, phases, session.rank)) return 0;
  std::fprintf(stderr, "opatm: mass is not conserved\n");
  return 1;
}

}  // namespace
}  // namespace opatm

int main(int argc, char** argv) { return kit::run_program({"opatm", opatm::usage, opatm::run, true}, argc, argv); }
