// Gas dynamics by the piecewise-parabolic method, one axis at a time, after VH-1; docs/reference/workloads/vh1.md.

#include <mpi.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>

#include "checks.hpp"
#include "gas.hpp"
#include "kit/omission.hpp"
#include "kit/phases.hpp"
#include "kit/program.hpp"
#include "pencils.hpp"
#include "settings.hpp"
#include "shock_tube.hpp"
#include "sweep.hpp"
#include "transpose.hpp"

namespace vh1 {
namespace {

struct Phase {
  enum : size_t { setup, time_step, sweeps, transposes };
};

struct Model {
  Model(const Settings& chosen, const kit::Session& session)
      : settings(chosen),
        pencils(settings, session.rank, session.ranks),
        gas(settings, pencils),
        beginning(totals(gas)),
        within_row(pencils.row(), pencils.py(), pencils),
        within_column(pencils.column(), pencils.pz(), pencils) {}

  Line line(int axis) const {
    return Line(settings.grid[axis], gas.width(), settings.tube_axis() < 0 ? Ends::periodic : Ends::open);
  }

  Settings settings;
  Pencils pencils;
  Gas gas;
  Totals beginning;
  Transpose within_row;
  Transpose within_column;
  kit::Phases phases{{"setup", "time step", "sweeps", "transposes"}};
  kit::Omission omission{"VH1_LEAVE_OUT"};
  double time = 0.0;
  int transposes = 0;  // of this step
};

// Along this axis the velocities are numbered from the axis on, so that a line finds its own first.
template <typename Zone>
void advance_line(Line& line, int axis, double dt, Zone zone_at) {
  const int velocity[3] = {2 + axis, 2 + (axis + 1) % 3, 2 + (axis + 2) % 3};
  for (int n = 0; n < line.zones(); ++n) {
    const double* zone = zone_at(n);
    line.set(n, {zone[0], zone[1], zone[velocity[0]], zone[velocity[1]], zone[velocity[2]], zone[5]});
  }
  line.advance(dt);
  for (int n = 0; n < line.zones(); ++n) {
    double* zone = zone_at(n);
    const auto values = line.zone(n);
    zone[0] = values[0];
    zone[1] = values[1];
    for (int v = 0; v < 3; ++v) zone[velocity[v]] = values[2 + v];
    zone[5] = values[5];
  }
}

[[gnu::noinline]] void sweepx(Model& model, double dt) {
  const auto measurement = model.phases.measure(Phase::sweeps);
  Line line = model.line(0);
  for (int k = 0; k < model.gas.nz(); ++k) {
    for (int j = 0; j < model.gas.ny(); ++j) {
      advance_line(line, 0, dt, [&](int i) { return model.gas.zone(i, j, k); });
    }
  }
}

void turn(Model& model, Transpose& transpose, void (Transpose::*way)(Gas&, int)) {
  const auto measurement = model.phases.measure(Phase::transposes);
  (transpose.*way)(model.gas, ++model.transposes);
}

[[gnu::noinline]] void sweepy(Model& model, double dt) {
  Transpose& turned = model.within_row;
  turn(model, turned, &Transpose::to_lines);
  {
    const auto measurement = model.phases.measure(Phase::sweeps);
    Line line = model.line(1);
    const int part = model.gas.ny();
    for (int k = 0; k < model.gas.nz(); ++k) {
      for (int i = 0; i < turned.slab(); ++i) {
        advance_line(line, 1, dt, [&](int j) { return turned.zone(j / part, i, j % part, k); });
      }
    }
  }
  turn(model, turned, &Transpose::to_pencils);
}

[[gnu::noinline]] void sweepz(Model& model, double dt) {
  Transpose& turned = model.within_column;
  turn(model, turned, &Transpose::to_lines);
  {
    const auto measurement = model.phases.measure(Phase::sweeps);
    Line line = model.line(2);
    const int part = model.gas.nz();
    for (int j = 0; j < model.gas.ny(); ++j) {
      for (int i = 0; i < turned.slab(); ++i) {
        advance_line(line, 2, dt, [&](int k) { return turned.zone(k / part, i, j, k % part); });
      }
    }
  }
  turn(model, turned, &Transpose::to_pencils);
}

// The time a pair of cycles takes: neither sound nor gas may cross more than 0.6 of a zone in the longest sweep.
[[gnu::noinline]] double dtcon(Model& model) {
  const auto measurement = model.phases.measure(Phase::time_step);
  const double mine = model.gas.fastest();
  double fastest = mine;
  if (!model.omission.covers({"dtcon", 1})) {
    MPI_Allreduce(&mine, &fastest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double dt = 0.6 * model.gas.width() / fastest;
  if (model.settings.tube_axis() >= 0) dt = std::min(dt, tube_end_time - model.time);
  return dt;
}

// Symmetric in time, so that splitting the axes costs no order.
void advance(Model& model) {
  model.transposes = 0;
  const double dt = dtcon(model);
  sweepx(model, 0.5 * dt);
  if (model.settings.flat()) {
    sweepy(model, dt);
  } else {
    sweepy(model, 0.5 * dt);
    sweepz(model, dt);
    sweepy(model, 0.5 * dt);
  }
  sweepx(model, 0.5 * dt);
  model.time += dt;
}

// The line a run ends with; false where a check failed. Collective over MPI_COMM_WORLD.
bool print_result(Model& model, int steps, const kit::Session& session) {
  const Findings found = look_at(model.gas, model.beginning, model.settings, model.pencils, model.time);
  const std::string times = model.phases.slowest();
  if (session.rank != 0) return true;
  const Settings& settings = model.settings;
  std::printf(
      "vh1: %s, grid %dx%dx%d, %d rank%s in %s, %d step%s to t = %.6f: %s, mass error %.1e, energy error %.1e, ",
      settings.problem.c_str(), settings.grid[0], settings.grid[1], settings.grid[2], session.ranks,
      session.ranks == 1 ? "" : "s", model.pencils.described().c_str(), steps, steps == 1 ? "" : "s", model.time,
      times.c_str(), found.mass_error, found.energy_error);
  if (found.tube_error >= 0.0) {
    std::printf("off the exact solution by %.3f zones", found.tube_error);
  } else {
    std::printf("momentum error %.1e", found.momentum_error);
  }
  std::printf(", fingerprint %016" PRIx64 "\n", found.fingerprint);
  return found.good();
}

int run(const kit::Session& session, int argc, char** argv) {
  Model model(read_settings(argc, argv), session);
  int steps = 0;
  while (steps < model.settings.steps) {
    advance(model);
    ++steps;
    if (model.settings.tube_axis() >= 0 && model.time >= tube_end_time) break;
  }
  if (print_result(model, steps, session)) return 0;
  std::fprintf(stderr, "vh1: the errors above exceed their limits\n");
  return 1;
}

}  // namespace
}  // namespace vh1

int main(int argc, char** argv) { return kit::run_program({"vh1", vh1::usage, vh1::run}, argc, argv); }
