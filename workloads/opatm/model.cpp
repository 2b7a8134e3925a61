#include "model.hpp"

#include <algorithm>
#include <utility>

#include "kit/program.hpp"

namespace opatm {
namespace {

size_t points_of(const Block& block, const Extent& grid) {
  return static_cast<size_t>(block.x.count) * grid.nz * block.y.count;
}

// Halo included: the neighbours would compute the same.
void set_initial(Field& concentration, const Tracer& tracer, const Basin& basin, const Block& block) {
  const Extent& grid = basin.grid();
  for (int k = 0; k < grid.nz; ++k) {
    const double profile = initial_profile(tracer, basin.depth_m(k));
    for (int i = -1; i <= block.x.count; ++i) {
      const int x = block.x.first + i;
      if (x < 0 || x >= grid.nx) continue;
      double* row = concentration.row(i, k);
      for (int j = -1; j <= block.y.count; ++j) {
        const int y = block.y.first + j;
        if (y >= 0 && y < grid.ny) row[j] = profile * initial_patchiness(tracer, x, y, k);
      }
    }
  }
}

void keep_before_transport(Model& model) {
  for (const Tracer& tracer : model.tracers) {
    model.concentration[tracer.number].copy_block_to(model.transport_change[tracer.number].data());
  }
}

// mmol/m^3 per day.
void work_out_transport_change(Model& model) {
  constexpr double steps_per_day = 86400.0 / step_s;
  for (const Tracer& tracer : model.tracers) {
    const Field& concentration = model.concentration[tracer.number];
    double* change = model.transport_change[tracer.number].data();
    for (int i = 0; i < concentration.nx(); ++i) {
      for (int k = 0; k < concentration.levels(); ++k, change += concentration.ny()) {
        const double* after = concentration.row(i, k);
        for (int j = 0; j < concentration.ny(); ++j) change[j] = (after[j] - change[j]) * steps_per_day;
      }
    }
  }
}

void accumulate(const Field& concentration, std::vector<double>& sum) {
  double* at = sum.data();
  for (int i = 0; i < concentration.nx(); ++i) {
    for (int k = 0; k < concentration.levels(); ++k, at += concentration.ny()) {
      const double* row = concentration.row(i, k);
      for (int j = 0; j < concentration.ny(); ++j) at[j] += row[j];
    }
  }
}

// At least 1: without segments one tracer is treated at a time.
int largest_segment(const Segmentation& segments) {
  return segments.packed ? *std::max_element(segments.sizes.begin(), segments.sizes.end()) : 1;
}

}  // namespace

Model::Model(const Settings& chosen, std::unique_ptr<Forcing> read, int rank, int ranks)
    : settings(chosen),
      decomposition(settings.grid, settings.layout, ranks),
      block(decomposition.block(rank)),
      basin(settings.grid),
      halo(decomposition, rank),
      forcing(std::move(read)),
      bent(static_cast<size_t>(largest_segment(settings.segments)), Field(block.x.count, block.y.count, 1)),
      advection(forcing ? forcing->flow : basin.flow(block), basin.thickness_m(), largest_segment(settings.segments),
                forcing ? &forcing->kind : nullptr),
      mixing(basin, block, forcing.get()),
      budget(basin.thickness_m(), static_cast<size_t>(settings.tracers)) {
  for (int number = 0; number < settings.tracers; ++number) {
    tracers.push_back(tracer(number));
    concentration.emplace_back(block.x.count, block.y.count, settings.grid.nz);
    accumulated.emplace_back(points_of(block, settings.grid), 0.0);
    transport_change.emplace_back(points_of(block, settings.grid), 0.0);
  }
  if (!settings.segments.packed) return;
  if (halo.leaves_out()) throw kit::UsageError("OPATM_LEAVE_OUT needs --segments none");
  packed = std::make_unique<PackedExchanges>(
      decomposition, rank, halo, settings.segments,
      PackedFields{concentration, advection.upstream(), advection.room_up(), advection.room_down(), bent});
}

void Model::set_initial_state() {
  for (const Tracer& tracer : tracers) set_initial(concentration[tracer.number], tracer, basin, block);
}

void Model::begin() {
  for (Field& field : concentration) halo.repeat_at_shores(field);
  budget.begin(concentration);
}

// Completes the step: the mean of the output takes in the new concentrations, and the neighbours get their faces, which
// the next step's advection begins with and the maps of fronts need.
[[gnu::noinline]] void trcnxt(Model& model) {
  if (model.packed) model.packed->concentrations().start();
  for (const Tracer& tracer : model.tracers) {
    accumulate(model.concentration[tracer.number], model.accumulated[tracer.number]);
    if (model.packed) {
      model.packed->concentrations().ready(static_cast<size_t>(tracer.number));
    } else {
      model.halo.exchange(model.concentration[tracer.number], {"trcnxt", 1});
    }
  }
  if (model.packed) model.packed->concentrations().finish();
  ++model.accumulated_steps;
}

void advance(Model& model, int step, bool output_follows, kit::Phases& phases) {
  if (output_follows) keep_before_transport(model);
  {
    const auto measurement = phases.measure(Phase::advection);
    trcadv(model);
  }
  {
    const auto measurement = phases.measure(Phase::diffusion);
    trchdf(model);
    trczdf(model);
    trcsed(model);
  }
  if (output_follows) work_out_transport_change(model);
  {
    const auto measurement = phases.measure(Phase::reaction);
    model.budget.after_transport(model.concentration);
    trcbio(model, step);
    model.budget.after_reaction(model.concentration);
  }
  {
    const auto measurement = phases.measure(Phase::update);
    trcnxt(model);
  }
}

}  // namespace opatm
