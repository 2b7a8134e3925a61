// The output as NetCDF: maps as NAME(output, tracer, x, level, y), profiles as NAME(output, tracer, level).

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "output.hpp"
#include "output_file.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

constexpr const char* profile_names[] = {"inventory", "mean_inventory", "sinking_flux", "minimum", "maximum"};
constexpr const char* profile_units[] = {"mmol m-2", "mmol m-2", "mmol m-2 day-1", "mmol m-3", "mmol m-3"};
constexpr const char* map_units[] = {"mmol m-3", "mmol m-3", "mmol m-3 day-1", "mmol m-3 km-1"};
constexpr size_t profiles = std::size(profile_names);

kit::Way way_of(Io io) { return io == Io::parallel ? kit::Way::parallel : kit::Way::gathered; }

class NetcdfOutput : public OutputFile {
 public:
  NetcdfOutput(const Settings& settings, int rank)
      : file_(settings.output, kit::Access::create, way_of(settings.io), settings.hints),
        grid_(settings.grid),
        is_root_(rank == kit::FieldFile::root) {
    file_.on_file([&](kit::NetcdfFile& file) { define(file, settings); });
    file_.settle();
  }

  void begin(int64_t step) override {
    ++record_;
    write(step_, {{record_}, {1}}, &step);
  }

  void write_summary(int tracer, const Summary& summary) override {
    const std::vector<double> values = summary.profiles();
    const kit::Slab levels{{record_, tracer, 0}, {1, 1, grid_.nz}};
    for (size_t n = 0; n < profiles; ++n) write(profile_[n], levels, values.data() + n * grid_.nz);
    write(blooming_, levels, summary.blooming().data());
    write(histogram_, {{record_, tracer, 0}, {1, 1, Summary::bins}}, summary.histogram().data());
  }

  void write_map(int tracer, int map, const std::vector<double>& values) override {
    write(map_[map], {{record_, tracer, 0, 0, 0}, {1, 1, grid_.nx, grid_.nz, grid_.ny}}, values.data());
  }

  void write_part(int tracer, int map, const kit::Spread& spread, const std::vector<double>& values) override {
    file_.write(map_[map], {record_, tracer}, spread, values);
    throw_problem();
  }

  void finish() override {
    file_.on_file([](kit::NetcdfFile& file) { file.close(); });
    throw_problem();
  }

 private:
  using Type = kit::NetcdfFile::Type;

  void define(kit::NetcdfFile& file, const Settings& settings) {
    const int output = file.define_dimension("output", outputs_of(settings));
    const int tracer = file.define_dimension("tracer", settings.tracers);
    const int x = file.define_dimension("x", grid_.nx);
    const int level = file.define_dimension("level", grid_.nz);
    const int y = file.define_dimension("y", grid_.ny);
    const int bin = file.define_dimension("bin", Summary::bins);
    step_ = file.define_variable("step", Type::int64, {output});
    file.describe(step_, "long_name", "steps of half an hour since the beginning");
    for (size_t n = 0; n < profiles; ++n) {
      profile_[n] = file.define_variable(profile_names[n], Type::float64, {output, tracer, level});
      file.describe(profile_[n], "units", profile_units[n]);
    }
    blooming_ = file.define_variable("blooming_cells", Type::int64, {output, tracer, level});
    histogram_ = file.define_variable("histogram", Type::int64, {output, tracer, bin});
    for (int n = 0; n < output_maps; ++n) {
      map_[n] = file.define_variable(map_names[n], Type::float64, {output, tracer, x, level, y});
      file.describe(map_[n], "units", map_units[n]);
    }
    file.end_definitions();
  }

  // In the parallel way every rank calls, and only the root has something to write.
  template <typename Value>
  void write(int variable, kit::Slab slab, const Value* values) {
    if (!is_root_) std::fill(slab.count.begin(), slab.count.end(), 0);
    file_.on_file([&](kit::NetcdfFile& file) { file.write(variable, slab, values); });
    throw_problem();
  }

  void throw_problem() const {
    if (!file_.problem().empty()) throw std::runtime_error("cannot write " + file_.problem());
  }

  kit::FieldFile file_;
  Extent grid_;
  bool is_root_;
  int64_t record_ = -1;
  int step_ = 0, profile_[profiles] = {}, blooming_ = 0, histogram_ = 0, map_[output_maps] = {};
};

}  // namespace

std::unique_ptr<OutputFile> create_netcdf_output(const Settings& settings, int rank) {
  return std::make_unique<NetcdfOutput>(settings, rank);
}

}  // namespace opatm
