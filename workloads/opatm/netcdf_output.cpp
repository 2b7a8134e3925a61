// The output as NetCDF: maps as NAME(output, tracer, x, level, y), profiles as NAME(output, tracer, level).

#include <iterator>

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
  NetcdfOutput(const Settings& settings, const Block& block)
      : file_(settings.output, kit::Access::create, way_of(settings.io), settings.hints),
        grid_(settings.grid),
        spread_(bare_block(block, settings.grid)) {
    define(settings);
  }

  void begin(int64_t step) override {
    ++record_;
    file_.put(step_, {record_}, {1}, &step);
  }

  void write_summary(int tracer, const Summary& summary) override {
    const std::vector<double> values = summary.profiles();
    const std::vector<int64_t> first = {record_, tracer, 0}, levels = {1, 1, grid_.nz};
    for (size_t n = 0; n < profiles; ++n) file_.put(profile_[n], first, levels, values.data() + n * grid_.nz);
    file_.put(blooming_, first, levels, summary.blooming().data());
    file_.put(histogram_, first, {1, 1, Summary::bins}, summary.histogram().data());
  }

  void write_map(int tracer, int map, const std::vector<double>& values) override {
    file_.put(map_[map], {record_, tracer, 0, 0, 0}, {1, 1, grid_.nx, grid_.nz, grid_.ny}, values.data());
  }

  void write_piece(int tracer, int map, const MapPiece& piece) override {
    piece.for_each_box(grid_, [&](const kit::Sizes& first, const kit::Sizes& count, const double* values) {
      file_.put(map_[map], {record_, tracer, first[0], first[1], first[2]}, {1, 1, count[0], count[1], count[2]},
                values);
    });
  }

  void write_part(int tracer, int map, const std::vector<double>& values) override {
    file_.write(map_[map], {record_, tracer}, spread_, values.data());
  }

  void settle() override { file_.settle(); }

  void finish() override { file_.close(); }

 private:
  using Type = kit::FieldFile::Type;

  void define(const Settings& settings) {
    const int output = file_.define_dimension("output", outputs_of(settings));
    const int tracer = file_.define_dimension("tracer", settings.tracers);
    const int x = file_.define_dimension("x", grid_.nx);
    const int level = file_.define_dimension("level", grid_.nz);
    const int y = file_.define_dimension("y", grid_.ny);
    const int bin = file_.define_dimension("bin", Summary::bins);
    step_ = file_.define_variable("step", Type::int64, {output});
    file_.describe(step_, "long_name", "half-hour steps since the start");
    for (size_t n = 0; n < profiles; ++n) {
      profile_[n] = file_.define_variable(profile_names[n], Type::float64, {output, tracer, level});
      file_.describe(profile_[n], "units", profile_units[n]);
    }
    blooming_ = file_.define_variable("blooming_cells", Type::int64, {output, tracer, level});
    histogram_ = file_.define_variable("histogram", Type::int64, {output, tracer, bin});
    for (int n = 0; n < output_maps; ++n) {
      map_[n] = file_.define_variable(map_names[n], Type::float64, {output, tracer, x, level, y});
      file_.describe(map_[n], "units", map_units[n]);
    }
    file_.end_definitions();
  }

  kit::FieldFile file_;
  Extent grid_;
  kit::Spread spread_;
  int64_t record_ = -1;
  int step_ = 0, profile_[profiles] = {}, blooming_ = 0, histogram_ = 0, map_[output_maps] = {};
};

}  // namespace

std::unique_ptr<OutputFile> create_netcdf_output(const Settings& settings, const Block& block) {
  return std::make_unique<NetcdfOutput>(settings, block);
}

}  // namespace opatm
