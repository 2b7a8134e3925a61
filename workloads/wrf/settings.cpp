#include "settings.hpp"

#include <climits>
#include <vector>

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace wrf {

const char* const usage =
    "wrf: a dry atmosphere in a periodic channel, on any number of MPI processes\n"
    "  --grid NXxNYxNZ          points west to east, south to north, and levels (41x81x64)\n"
    "  --steps N                steps of 10 minutes; output every hour (36)\n"
    "  --case wave|rest         a jet with a disturbance that grows, or air at rest (wave)\n"
    "  --tiles COLUMNSxROWS     decomposition (default: nearly square, more rows than columns)\n"
    "  --sleep NS               sleep for each point and step instead of computing; 0: compute (0)\n";

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv, {"grid", "steps", "case", "tiles", "sleep"});
  const std::vector<int> sizes = options.sizes("grid", "41x81x64", 3, 100000);
  Settings settings{};
  settings.grid = {sizes[0], sizes[1], sizes[2]};
  if (static_cast<double>(sizes[0]) * sizes[1] * (sizes[2] + 1) > INT_MAX) {
    throw kit::UsageError("--grid has more than 2^31 points");
  }
  settings.steps = static_cast<int>(options.whole("steps", 36, 1, 1000000));
  settings.problem = options.choice("case", {"wave", "rest"}) == "rest" ? Case::rest : Case::wave;
  settings.sleep_ns = options.whole("sleep", 0, 0, 1000000000);
  if (options.text("tiles", "auto") != "auto") {
    const std::vector<int> cut = options.sizes("tiles", "2x4", 1, 100000);
    settings.columns = cut[0];
    settings.rows = cut[1];
  }
  return settings;
}

}  // namespace wrf
