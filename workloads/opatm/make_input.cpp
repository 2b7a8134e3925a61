#include "make_input.hpp"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "basin.hpp"
#include "coast.hpp"
#include "input.hpp"
#include "kit/field_file.hpp"
#include "kit/program.hpp"
#include "tracers.hpp"

namespace opatm {
namespace {

using Type = kit::FieldFile::Type;
using Value = std::function<double(int x, int k, int y)>;

// The input's cells, each of one fine column or of the four that are merged.
class Cells {
 public:
  Cells(const Extent& grid, int merged)
      : grid_(grid), merged_(merged), basin_(grid), coast_(grid.nx * merged, grid.ny * merged, basin_) {}

  // Of water if any of the cells is that is merged into it, so that no flux is lost.
  int kind(int x, int k, int y) const {
    const int depth = depth_of(x, y);
    if (k < depth) return Kind::water;
    return k == depth && depth > 0 ? Kind::bed : Kind::land;
  }

  // m^3/s through the faces: those of the fine faces that make up the cell's face, added.
  double flow_east(int x, int k, int y) const {
    double sum = 0.0;
    for (int b = 0; b < merged_; ++b) sum += coast_.east(x * merged_, k, y * merged_ + b);
    return sum * m3_per_s();
  }
  double flow_north(int x, int k, int y) const {
    double sum = 0.0;
    for (int a = 0; a < merged_; ++a) sum += coast_.north(x * merged_ + a, k, y * merged_);
    return sum * m3_per_s();
  }
  double flow_down(int x, int k, int y) const {
    double sum = 0.0;
    for (int a = 0; a < merged_; ++a) {
      for (int b = 0; b < merged_; ++b) sum += coast_.down(x * merged_ + a, k, y * merged_ + b);
    }
    return sum * m3_per_s();
  }

  // The mean of the fine cells that are water; 0 where none is.
  double mean(int x, int k, int y, double (Coast::*value)(int, int, int) const) const {
    double sum = 0.0;
    int cells = 0;
    for (int a = x * merged_; a < (x + 1) * merged_; ++a) {
      for (int b = y * merged_; b < (y + 1) * merged_; ++b) {
        if (coast_.depth(a, b) <= k) continue;
        sum += (coast_.*value)(a, k, b);
        ++cells;
      }
    }
    return cells > 0 ? sum / cells : 0.0;
  }

  // The mean of all fine columns.
  double mean(int x, int y, double (Coast::*value)(int, int) const) const {
    double sum = 0.0;
    for (int a = x * merged_; a < (x + 1) * merged_; ++a) {
      for (int b = y * merged_; b < (y + 1) * merged_; ++b) sum += (coast_.*value)(a, b);
    }
    return sum / (merged_ * merged_);
  }

  const Extent& grid() const { return grid_; }
  const Basin& basin() const { return basin_; }

 private:
  int depth_of(int x, int y) const {
    int depth = 0;
    for (int a = x * merged_; a < (x + 1) * merged_; ++a) {
      for (int b = y * merged_; b < (y + 1) * merged_; ++b) depth = std::max(depth, coast_.depth(a, b));
    }
    return depth;
  }

  // Two fine columns are as wide as one of the model, merged or not: what is merged has the fluxes of what is not.
  double m3_per_s() const { return cell_m2 / 4.0 / (0.5 * step_s); }

  Extent grid_;
  int merged_;
  Basin basin_;
  Coast coast_;
};

std::vector<double> values_of(const Extent& grid, int levels, const Value& value) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(grid.nx) * levels * grid.ny);
  for (int x = 0; x < grid.nx; ++x) {
    for (int k = 0; k < levels; ++k) {
      for (int y = 0; y < grid.ny; ++y) values.push_back(value(x, k, y));
    }
  }
  return values;
}

struct Variable {
  const char* name;
  Type type;
  int levels;  // all or, of what is at the surface, one
  const char* units;
  const char* meaning;
  Value value;
};

std::vector<Variable> forcing(const Cells& cells) {
  const int nz = cells.grid().nz;
  const auto mean_of = [&cells](double (Coast::*value)(int, int, int) const) {
    return [&cells, value](int x, int k, int y) { return cells.mean(x, k, y, value); };
  };
  const auto surface_mean_of = [&cells](double (Coast::*value)(int, int) const) {
    return [&cells, value](int x, int, int y) { return cells.mean(x, y, value); };
  };
  return {
      {"kind", Type::int8, nz, "1", "0 land, 1 bed, 2 water",
       [&cells](int x, int k, int y) { return static_cast<double>(cells.kind(x, k, y)); }},
      {"flow_east", Type::float64, nz, "m3 s-1", "through the western face",
       [&cells](int x, int k, int y) { return cells.flow_east(x, k, y); }},
      {"flow_north", Type::float64, nz, "m3 s-1", "through the southern face",
       [&cells](int x, int k, int y) { return cells.flow_north(x, k, y); }},
      {"flow_down", Type::float64, nz, "m3 s-1", "through the upper face",
       [&cells](int x, int k, int y) { return cells.flow_down(x, k, y); }},
      {"temperature", Type::float64, nz, "degree_Celsius", "of the water", mean_of(&Coast::temperature_c)},
      {"salinity", Type::float64, nz, "g kg-1", "of the water (not used by the model)", mean_of(&Coast::salinity)},
      {"vertical_diffusivity", Type::float64, nz, "m2 s-1", "through the upper face", mean_of(&Coast::mixing_m2_per_s)},
      {"shortwave", Type::float64, 1, "W m-2", "at the surface at noon", surface_mean_of(&Coast::shortwave_w_per_m2)},
      {"wind", Type::float64, 1, "m s-1", "at the surface (not used by the model)",
       surface_mean_of(&Coast::wind_m_per_s)},
  };
}

struct Dimensions {
  int x, level, surface, y;

  Dimensions(kit::FieldFile& file, const Extent& grid)
      : x(file.define_dimension("x", grid.nx)),
        level(file.define_dimension("level", grid.nz)),
        surface(file.define_dimension("surface", 1)),
        y(file.define_dimension("y", grid.ny)) {}
};

void write_forcing(kit::FieldFile& file, const Cells& cells) {
  const Extent& grid = cells.grid();
  const Dimensions dimensions(file, grid);
  const std::vector<Variable> variables = forcing(cells);
  std::vector<int> numbers;
  for (const Variable& variable : variables) {
    const int third = variable.levels == 1 ? dimensions.surface : dimensions.level;
    numbers.push_back(file.define_variable(variable.name, variable.type, {dimensions.x, third, dimensions.y}));
    file.describe(numbers.back(), "units", variable.units);
    file.describe(numbers.back(), "long_name", variable.meaning);
  }
  EndMark end;
  end.define(file);
  file.end_definitions();
  for (size_t n = 0; n < variables.size(); ++n) {
    const int levels = variables[n].levels;
    file.put(numbers[n], {0, 0, 0}, {grid.nx, levels, grid.ny}, values_of(grid, levels, variables[n].value).data());
  }
  end.write(file);
  file.close();
}

void write_initial(kit::FieldFile& file, const Cells& cells, int tracers) {
  const Extent& grid = cells.grid();
  const StateFile state(file, grid, tracers, 0);
  for (int number = 0; number < tracers; ++number) {
    const Tracer kind = tracer(number);
    const auto value = [&](int x, int k, int y) {
      if (cells.kind(x, k, y) == Kind::land) return 0.0;
      return initial_profile(kind, cells.basin().depth_m(k)) * initial_patchiness(kind, x, y, k);
    };
    file.put(state.concentration, {number, 0, 0, 0}, {1, grid.nx, grid.nz, grid.ny},
             values_of(grid, grid.nz, value).data());
  }
  state.end.write(file);
  file.close();
}

void write_input(const Settings& settings) {
  const Cells cells(settings.grid, settings.merge ? 2 : 1);
  const auto create = [](const std::string& path) {
    return kit::FieldFile(path, kit::Access::create, kit::Way::gathered, "", kit::Ranks::this_one);
  };
  kit::FieldFile forcing = create(forcing_file(settings.make_input));
  write_forcing(forcing, cells);
  kit::FieldFile initial = create(initial_file(settings.make_input));
  write_initial(initial, cells, settings.tracers);
}

}  // namespace

void make_input(const Settings& settings, int rank) {
  std::string problem;
  if (rank == kit::FieldFile::root) {
    std::error_code error;
    std::filesystem::create_directory(settings.make_input, error);
    if (error) problem = "cannot create the directory " + settings.make_input + ": " + error.message();
    for (const std::string& path : {forcing_file(settings.make_input), initial_file(settings.make_input)}) {
      if (problem.empty() && std::filesystem::exists(path)) problem = path + " already exists";
    }
    try {
      if (problem.empty()) write_input(settings);
    } catch (const kit::UsageError& failed) {
      problem = failed.what();
    }
  }
  kit::agree_on(problem);
}

}  // namespace opatm
