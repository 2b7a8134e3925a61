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
  EndMark::check(*file, path);
  return file;
}

Extent grid_of(kit::FieldFile& file) {
  const int64_t nx = file.length("x"), nz = file.length("level"), ny = file.length("y");
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

bool has_impossible_value(const Field& concentration) {
  const std::vector<double>& values = concentration.values();
  return std::any_of(values.begin(), values.end(),
                     [](double value) { return !(std::abs(value) < largest_concentration); });
}

}  // namespace

std::string forcing_file(const std::string& folder) { return folder + "/forcing.nc"; }
std::string initial_file(const std::string& folder) { return folder + "/initial.nc"; }

void EndMark::define(kit::FieldFile& file) {
  variable_ = file.define_variable(end_mark_name, kit::FieldFile::Type::float64, {});
  file.describe(variable_, "long_name", "pi: marks a complete file");
}

void EndMark::write(kit::FieldFile& file) const { file.put(variable_, {}, {}, &end_mark); }

void EndMark::check(kit::FieldFile& file, const std::string& path) {
  if (file.value(file.variable(end_mark_name, {})) == end_mark) return;
  throw kit::UsageError(path + " is incomplete: its last variable lacks the expected value");
}

StateFile::StateFile(kit::FieldFile& file, const Extent& grid, int tracers, int64_t step) {
  using Type = kit::FieldFile::Type;
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
  if (tracers < 1 || tracers > most_tracers || (settings.tracers_are_given && settings.tracers != tracers)) {
    throw kit::UsageError(state_path_ + " has " + std::to_string(tracers) + " tracers" +
                          (settings.tracers_are_given ? " instead of " + std::to_string(settings.tracers) : ""));
  }
  if (step < 0 || step > most_steps) {
    throw kit::UsageError(state_path_ + ": expected a step from 0 to " + std::to_string(most_steps) + ", got " +
                          std::to_string(step));
  }
  settings.tracers = static_cast<int>(tracers);
  settings.steps_before = static_cast<int>(step);
  settings.segments = segmentation(settings.asked_segments, settings.tracers);
}

[[gnu::noinline]] std::unique_ptr<Forcing> Input::read_forcing(const Settings& settings, int rank, int ranks) {
  if (!forcing_) return nullptr;
  const Extent& grid = settings.grid;
  const Block block = Decomposition(grid, settings.layout, ranks).block(rank);
  auto forcing = std::make_unique<Forcing>(block, grid.nz);
  const kit::Spread of_water(field_block(block, grid, grid.nz)), of_surface(field_block(block, grid, 1));
  const auto read = [&](const char* name, Field& field) {
    const int variable = forcing_->variable(name, {grid.nx, field.levels(), grid.ny});
    forcing_->read(variable, {}, field.levels() == 1 ? of_surface : of_water, field.values().data());
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

[[gnu::noinline]] void Input::read_state(Model& model) {
  kit::FieldFile& file = *state_;
  const Extent& grid = model.settings.grid;
  const kit::Spread spread(field_block(model.block, grid, grid.nz));
  const int variable = file.variable("concentration", {model.settings.tracers, grid.nx, grid.nz, grid.ny});
  std::string wrong;
  for (int tracer = 0; tracer < model.settings.tracers; ++tracer) {
    Field& concentration = model.concentration[tracer];
    file.read(variable, {tracer}, spread, concentration.values().data());
    if (has_impossible_value(concentration)) {
      wrong = "tracer " + std::to_string(tracer) + " has a concentration that is too large or not a number";
    }
  }
  file.close();
  kit::agree_on(wrong.empty() ? wrong : state_path_ + ": " + wrong);
}

[[gnu::noinline]] void save_state(const Model& model) {
  const Settings& settings = model.settings;
  kit::FieldFile file(settings.save, kit::Access::create, way_of(settings.io), settings.hints);
  const StateFile state(file, settings.grid, settings.tracers, settings.steps_before + settings.steps);
  const kit::Spread spread(field_block(model.block, settings.grid, settings.grid.nz));
  for (const Tracer& tracer : model.tracers) {
    const Field& concentration = model.concentration[tracer.number];
    file.write(state.concentration, {tracer.number}, spread, concentration.values().data());
  }
  state.end.write(file);
  file.close();
}

}  // namespace opatm
