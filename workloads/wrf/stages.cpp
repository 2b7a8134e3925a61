// A step: three Runge-Kutta stages (Wicker, Skamarock 2002), of 1, 2 and 4 acoustic steps.

#include "acoustic.hpp"
#include "atmosphere.hpp"
#include "stand_in.hpp"
#include "tendencies.hpp"

namespace wrf {
namespace {

struct Stage {
  double share;  // of the step
  int acoustic_steps;
};

constexpr Stage stages[] = {{1.0 / 3.0, 1}, {0.5, 2}, {1.0, 4}};

// What the neighbours work out is taken from them rather than worked out again in the halo.
void exchange_diagnosis(Atmosphere& a) {
  Diagnosis& air = a.air;
  std::vector<Field*> fields{&air.u,        &air.v,         &air.w,          &air.theta,
                             &air.pressure, &air.stiffness, &air.divergence, &air.density};
  for (Field& tracer : a.tracers) fields.push_back(&tracer);
  a.exchange.update({"stage", 1}, halo_width, fields);
}

[[gnu::noinline]] void run_stage(Atmosphere& a, const Stage& stage, const State& begins,
                                 const std::array<Field, tracer_count>& tracers_begin, const Field& density_begins) {
  const double stage_s = stage.share * a.step_s;
  computed(a, Part::diagnosis, [&] { diagnose(a); });
  exchange_diagnosis(a);
  Laplacians laplacians(a);
  computed(a, Part::laplacians, [&] { work_out_laplacians(a, laplacians); });
  Acoustics acoustics(a, begins);
  std::vector<Field*> fields = laplacians.all();
  for (Field* field : acoustics.start()) fields.push_back(field);
  a.exchange.update({"stage", 2}, 1, fields);
  State rates(a.tile, a.nz());
  computed(a, Part::tendencies, [&] { work_out_tendencies(a, laplacians, rates); });
  acoustics.run(rates, stage.acoustic_steps, stage_s / stage.acoustic_steps);
  computed(a, Part::tracers, [&] { carry_tracers(a, laplacians, tracers_begin, density_begins, stage_s); });
  a.exchange.update({"stage", 3}, halo_width, a.now.all());
}

}  // namespace

[[gnu::noinline]] void advance(Atmosphere& a) {
  const State begins = a.now;
  const std::array<Field, tracer_count> tracers = a.tracers;
  Field density(a.cells());
  for (int k = 0; k < a.nz(); ++k) {
    for (int j = 0; j < a.tile.ny; ++j) {
      for (int i = 0; i < a.tile.nx; ++i) density(i, j, k) = a.base.density[k] + begins.density(i, j, k);
    }
  }
  for (const Stage& stage : stages) run_stage(a, stage, begins, tracers, density);
}

}  // namespace wrf
