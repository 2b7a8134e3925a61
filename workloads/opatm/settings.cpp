#include "settings.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace opatm {

const char* const usage =
    "opatm: transport and reaction of tracers in a closed sea, on any number of MPI processes\n"
    "  --grid NXxNYxNZ    points west to east, south to north, and levels (362x128x72)\n"
    "  --tracers N        tracers, in chains of four (51)\n"
    "  --steps N          steps of half an hour; output every 48th and after the last (3)\n"
    "  --decomp HOW       strips: even strips along x; strips:W0,W1,...: strips of these widths, one per process;\n"
    "                     2d: cut along x and y (strips)\n"
    "  --cost full|light  the reactor. full: 8 sub-steps and exponential light response; light: 1 sub-step\n"
    "                     and a simpler response (full)\n"
    "  --segments HOW     none: one message per tracer; N: the tracers packed into N messages; A,B,...: into "
    "segments\n"
    "                     of these numbers of tracers; auto: the fastest in the first steps (none)\n"
    "  --io HOW           serial: every rank reads all, and sends its output to the root piece by piece; gathered:\n"
    "                     the root reads and writes, with collectives; parallel: every rank reads and writes its\n"
    "                     part; needs PnetCDF (serial)\n"
    "  --threads N           threads that do each process's arithmetic (OMP_NUM_THREADS, or 1)\n"
    "  --input DIR        forcing and initial state are read from DIR/forcing.nc and DIR/initial.nc (formulas)\n"
    "  --restart FILE     start from a file written by --save instead\n"
    "  --save FILE        write the state there after the last step, as NetCDF (nowhere)\n"
    "  --hints TEXT       for --io parallel: name=value;name=value, hints for MPI-IO and PnetCDF; auto: tries several\n"
    "                     at the start and keeps the fastest; auto:FILE: uses the hints that FILE holds for this\n"
    "                     configuration, or tries several and saves the fastest there (none)\n"
    "  --output FILE      where the output goes: 32 bytes per point and tracer each time; NetCDF if it ends in .nc "
    "(none)\n"
    "  --make-input DIR   only write an input with this grid (90x32x24) and these tracers\n"
    "  --merge yes|no     make it at twice the resolution and merge cells, or leave the cells unmerged (yes)\n";

namespace {

// Summaries of 16 bytes a level have to fit the small messages' 4 kB.
constexpr int most_levels = 256;
constexpr int most_columns = 1000000;
constexpr int most_threads = 1024;
const char* const nowhere = "/dev/null";

Extent parse_grid(const std::string& text) {
  const std::vector<std::string> sizes = kit::split(text, 'x');
  if (sizes.size() != 3) throw kit::UsageError("--grid: expected NXxNYxNZ, e.g. 362x128x72, got '" + text + "'");
  std::vector<int64_t> numbers;
  const char* const which[] = {"the first number of --grid", "the second number of --grid",
                               "the third number of --grid"};
  for (size_t n = 0; n < 3; ++n) {
    numbers.push_back(kit::parse_whole(sizes[n], which[n], n < 2 ? 2 : 3, n < 2 ? most_columns : most_levels));
  }
  return checked_grid(numbers[0], numbers[1], numbers[2]);
}

Layout parse_layout(const std::string& text) {
  const std::string strips = "strips";
  Layout layout;
  if (text == "2d") {
    layout.in_strips = false;
  } else if (text.starts_with(strips + ":")) {
    for (const std::string& width : kit::split(text.substr(strips.size() + 1), ',')) {
      layout.widths.push_back(static_cast<int>(kit::parse_whole(width, "a width in --decomp", 1, 1000000)));
    }
  } else if (text != strips) {
    throw kit::UsageError("--decomp must be strips, strips:W0,W1,... or 2d, not '" + text + "'");
  }
  return layout;
}

Cost parse_cost(const std::string& text) {
  if (text == "full") return Cost::full;
  if (text == "light") return Cost::light;
  throw kit::UsageError("--cost must be full or light, not '" + text + "'");
}

Io parse_io(const std::string& text) {
  if (text == "serial") return Io::serial;
  if (text == "gathered") return Io::gathered;
  if (text == "parallel") return Io::parallel;
  throw kit::UsageError("--io must be serial, gathered or parallel, not '" + text + "'");
}

// As given, else as OpenMP's environment says: its own default would be all cores for every process.
int parse_threads(const std::string& given) {
  const char* from_environment = std::getenv("OMP_NUM_THREADS");
  if (given.empty() && from_environment == nullptr) return 1;
  const std::string text = given.empty() ? kit::split(from_environment, ',').front() : given;
  return static_cast<int>(kit::parse_whole(text, given.empty() ? "OMP_NUM_THREADS" : "--threads", 1, most_threads));
}

// For MPI_Info.
void take_hints(Settings& settings, const std::string& text) {
  const std::string tried = "auto";
  settings.hints_are_tried = text == tried || text.starts_with(tried + ":");
  if (settings.hints_are_tried) {
    if (settings.io != Io::parallel) throw kit::UsageError("--hints auto needs --io parallel");
    if (text != tried) settings.hints_file = text.substr(tried.size() + 1);
    if (text == tried + ":") throw kit::UsageError("--hints auto: needs a file name after the colon");
    return;
  }
  for (const std::string& hint : text.empty() ? std::vector<std::string>{} : kit::split(text, ';')) {
    const size_t equals = hint.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == hint.size()) {
      throw kit::UsageError("--hints: expected name=value;name=value, got '" + text + "'");
    }
  }
  settings.hints = text;
}

}  // namespace

Segmentation segmentation(const std::string& text, int tracers) {
  if (text == "none") return {};
  Segmentation result{true, text == "auto", {}};
  if (result.tuned) {
    result.sizes = {tracers};
  } else if (text.find(',') == std::string::npos) {
    const int segments = static_cast<int>(kit::parse_whole(text, "--segments (or none, auto, A,B,...)", 1, tracers));
    for (int n = 0; n < segments; ++n) result.sizes.push_back(tracers / segments + (n < tracers % segments ? 1 : 0));
  } else {
    int sum = 0;
    for (const std::string& size : kit::split(text, ',')) {
      result.sizes.push_back(static_cast<int>(kit::parse_whole(size, "a size in --segments", 1, tracers)));
      sum += result.sizes.back();
    }
    if (sum != tracers) {
      throw kit::UsageError("the sizes in --segments add up to " + std::to_string(sum) + ", but there are " +
                            std::to_string(tracers) + " tracers");
    }
  }
  return result;
}

Extent checked_grid(int64_t nx, int64_t ny, int64_t nz) {
  const std::string text = std::to_string(nx) + "x" + std::to_string(ny) + "x" + std::to_string(nz);
  if (std::min(nx, ny) < 2 || nz < 3 || std::max(nx, ny) > most_columns || nz > most_levels) {
    throw kit::UsageError("--grid " + text + " is too small or too large");
  }
  if (nx * ny * nz > INT_MAX) throw kit::UsageError("--grid " + text + " has more than 2^31 points");
  return {static_cast<int>(nx), static_cast<int>(ny), static_cast<int>(nz)};
}

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv,
                             {"grid", "tracers", "steps", "decomp", "cost", "segments", "io", "hints", "input",
                              "restart", "save", "output", "make-input", "merge", "threads"});
  Settings settings{};
  settings.make_input = options.text("make-input", "");
  settings.merge = options.choice("merge", {"yes", "no"}) == "yes";
  settings.grid_is_given = !options.text("grid", "").empty();
  settings.grid = parse_grid(options.text("grid", settings.make_input.empty() ? "362x128x72" : "90x32x24"));
  settings.tracers_are_given = !options.text("tracers", "").empty();
  settings.tracers = static_cast<int>(options.whole("tracers", 51, 1, most_tracers));
  settings.steps = static_cast<int>(options.whole("steps", 3, 1, most_steps));
  settings.input = options.text("input", "");
  settings.restart = options.text("restart", "");
  settings.save = options.text("save", "");
  settings.layout = parse_layout(options.text("decomp", "strips"));
  settings.cost = parse_cost(options.text("cost", "full"));
  settings.asked_segments = options.text("segments", "none");
  if (settings.input.empty() && settings.restart.empty()) {
    settings.segments = segmentation(settings.asked_segments, settings.tracers);
  }
  settings.threads = parse_threads(options.text("threads", ""));
  settings.io = parse_io(options.text("io", "serial"));
  settings.output = options.text("output", nowhere);
  take_hints(settings, options.text("hints", ""));
  if (settings.io == Io::parallel && !settings.writes_netcdf() && settings.output != nowhere) {
    throw kit::UsageError("--io parallel writes NetCDF: --output must end in .nc, got '" + settings.output + "'");
  }
  return settings;
}

}  // namespace opatm
