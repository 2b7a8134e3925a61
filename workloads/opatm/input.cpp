#include "input.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kit/program.hpp"
#include "model.hpp"

namespace opatm {
namespace {

const char* const end_mark_name = "end_of_file";
constexpr double end_mark = std::numbers::pi;  // none of its bytes is zero
constexpr double largest_concentration = 1e4;  // mmol/m^3; far above any in the sea

kit::Way way_of(Io io) {
  if (io == Io::parallel) return kit::Way::parallel;
  return io == Io::gathered ? kit::Way::gathered : kit::Way::serial;
}

std::unique_ptr<kit::FieldFile> open(const Settings& settings, const std::string& path) {
  auto file = std::make_unique<kit::FieldFile>(path, kit::Access::read, way_of(settings.io), settings.hints);
  file->on_file([&path](kit::NetcdfFile& opened) { EndMark::check(opened, path); });
  file->settle();
  return file;
}

Extent grid_of(kit::FieldFile& file) {
  const int64_t nx = file.length("x"), nz = file.length("level"), ny = file.length("y");
  file.settle();
  return checked_grid(nx, ny, nz);
}

std::string shown(const Extent& grid) {
  return std::to_string(grid.nx) + "x" + std::to_string(grid.ny) + "x" + std::to_string(grid.nz);
}

void take_grid(Settings& settings, const Extent& grid, const std::string& path) {
  if (settings.grid_is_given && settings.grid != grid) {
    throw kit::UsageError(path + " has the grid " + shown(grid) + " instead of " + shown(settings.grid));
  }
  settings.grid = grid;
  settings.grid_is_given = true;
}

// The part of a field, as it is read, into the block and its halo.
void take(Field& field, const kit::Box& part, const Block& block, const std::vector<double>& values) {
  const double* from = values.data();
  for (int64_t x = part.first[0]; x < part.first[0] + part.count[0]; ++x) {
    for (int k = 0; k < field.levels(); ++k, from += part.count[2]) {
      std::copy_n(from, part.count[2],
                  field.row(static_cast<int>(x) - block.x.first, k) + part.first[2] - block.y.first);
    }
  }
}

// The width of halo that is read along. In the parallel way each value is read by one rank alone, so that all ranks
// together read the file once, and the neighbours exchange halos.
int halo_to_read(const Settings& settings) { return settings.io == Io::parallel ? 0 : 1; }

void complete_halo(Field& field, Halo& halo, const Settings& settings) {
  if (halo_to_read(settings) == 0) halo.exchange(field, {"trcrst", 1});
}

}  // namespace

std::string forcing_file(const std::string& folder) { return folder + "/forcing.nc"; }
std::string initial_file(const std::string& folder) { return folder + "/initial.nc"; }

void EndMark::define(kit::NetcdfFile& file) {
  variable_ = file.define_variable(end_mark_name, kit::NetcdfFile::Type::float64, {});
  file.describe(variable_, "long_name", "pi, if the file is complete");
}

void EndMark::write(kit::NetcdfFile& file) const { file.write(variable_, {}, &end_mark); }

void EndMark::check(kit::NetcdfFile& file, const std::string& path) {
  double found = 0.0;
  file.read(file.variable(end_mark_name, {}), {}, &found);
  if (found != end_mark)
    throw kit::NetcdfError(path + " is not complete: its last variable has not the value it must have");
}

StateFile::StateFile(kit::NetcdfFile& file, const Extent& grid, int tracers, int64_t step) {
  using Type = kit::NetcdfFile::Type;
  const int tracer = file.define_dimension("tracer", tracers);
  const int x = file.define_dimension("x", grid.nx);
  const int level = file.define_dimension("level", grid.nz);
  const int y = file.define_dimension("y", grid.ny);
  concentration = file.define_variable("concentration", Type::float64, {tracer, x, level, y});
  file.describe(concentration, "units", "mmol m-3");
  file.set_number("step", step);
  end.define(file);
  file.end_definitions();
}

Input::Input(Settings& settings)
    : state_path_(settings.restart.empty() && !settings.input.empty() ? initial_file(settings.input)
                                                                      : settings.restart) {
  if (!settings.input.empty()) {
    const std::string path = forcing_file(settings.input);
    forcing_ = open(settings, path);
    take_grid(settings, grid_of(*forcing_), path);
  }
  if (state_path_.empty()) return;
  state_ = open(settings, state_path_);
  take_grid(settings, grid_of(*state_), state_path_);
  const int64_t tracers = state_->length("tracer");
  const int64_t step = state_->number("step");
  state_->settle();
  if (tracers < 1 || tracers > most_tracers || (settings.tracers_are_given && settings.tracers != tracers)) {
    throw kit::UsageError(state_path_ + " has " + std::to_string(tracers) + " tracers" +
                          (settings.tracers_are_given ? " instead of " + std::to_string(settings.tracers) : ""));
  }
  if (step < 0 || step > most_steps) throw kit::UsageError(state_path_ + " is from step " + std::to_string(step));
  settings.tracers = static_cast<int>(tracers);
  settings.steps_before = static_cast<int>(step);
  settings.segments = segmentation(settings.asked_segments, settings.tracers);
}

[[gnu::noinline]] std::unique_ptr<Forcing> Input::read_forcing(const Settings& settings, int rank, int ranks) {
  if (!forcing_) return nullptr;
  const Extent& grid = settings.grid;
  const Decomposition decomposition(grid, settings.layout, ranks);
  const Block block = decomposition.block(rank);
  auto forcing = std::make_unique<Forcing>(block, grid.nz);
  kit::Spread spread = spread_of(decomposition, grid, halo_to_read(settings));
  Halo halo(decomposition, rank);
  std::vector<double> values;
  const auto read = [&](const char* name, Field& field) {
    const int variable = forcing_->variable(name, {grid.nx, field.levels(), grid.ny});
    spread.whole[1] = field.levels();
    for (kit::Box& part : spread.parts) part.count[1] = field.levels();
    forcing_->read(variable, {}, spread, values);
    take(field, spread.parts[static_cast<size_t>(rank)], block, values);
    complete_halo(field, halo, settings);
  };
  Field unused(block.x.count, block.y.count, grid.nz);
  Field unused_at_surface(block.x.count, block.y.count, 1);
  read("kind", forcing->kind);
  read("flow_east", forcing->flow.east);
  read("flow_north", forcing->flow.north);
  read("flow_down", forcing->flow.down);
  read("temperature", forcing->temperature_c);
  read("salinity", unused);
  read("vertical_diffusivity", forcing->mixing_m2_per_s);
  read("shortwave", forcing->shortwave);
  read("wind", unused_at_surface);
  forcing_->close();
  forcing_.reset();
  const std::string wrong = forcing->complete(block, grid, Basin(grid).thickness_m());
  kit::agree_on(wrong.empty() ? wrong : forcing_file(settings.input) + ": " + wrong);
  return forcing;
}

[[gnu::noinline]] void Input::read_state(Model& model, int rank) {
  kit::FieldFile& file = *state_;
  const Extent& grid = model.settings.grid;
  const kit::Spread spread = spread_of(model.decomposition, grid, halo_to_read(model.settings));
  const int variable = file.variable("concentration", {model.settings.tracers, grid.nx, grid.nz, grid.ny});
  file.settle();
  std::vector<double> values;
  std::string wrong;
  for (int tracer = 0; tracer < model.settings.tracers; ++tracer) {
    file.read(variable, {tracer}, spread, values);
    take(model.concentration[tracer], spread.parts[static_cast<size_t>(rank)], model.block, values);
    complete_halo(model.concentration[tracer], model.halo, model.settings);
    const auto bad = [](double value) { return !(std::abs(value) < largest_concentration); };
    if (std::any_of(values.begin(), values.end(), bad)) {
      wrong = "tracer " + std::to_string(tracer) + " has a concentration that none can be";
    }
  }
  file.close();
  kit::agree_on(wrong.empty() ? wrong : state_path_ + ": " + wrong);
}

[[gnu::noinline]] void save_state(const Model& model, int rank) {
  const Settings& settings = model.settings;
  kit::FieldFile file(settings.save, kit::Access::create, way_of(settings.io), settings.hints);
  std::unique_ptr<StateFile> state;
  file.on_file([&](kit::NetcdfFile& opened) {
    state =
        std::make_unique<StateFile>(opened, settings.grid, settings.tracers, settings.steps_before + settings.steps);
  });
  file.settle();
  const int variable = state ? state->concentration : 0;  // of ranks that have the file open
  const kit::Spread spread = spread_of(model.decomposition, settings.grid, 0);
  std::vector<double> values(static_cast<size_t>(spread.parts[static_cast<size_t>(rank)].points()));
  for (const Field& concentration : model.concentration) {
    concentration.copy_block_to(values.data());
    file.write(variable, {&concentration - model.concentration.data()}, spread, values);
  }
  file.on_file([&](kit::NetcdfFile& opened) { state->end.write(opened); });
  file.close();
}

}  // namespace opatm
