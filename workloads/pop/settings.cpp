#include "settings.hpp"

#include <climits>
#include <string>
#include <vector>

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace pop {

const char* const usage =
    "pop: steps of an ocean model on a latitude-longitude grid, on any number of MPI processes\n"
    "  --grid NXxNYxNZ           points west to east, south to north, and levels (320x384x40)\n"
    "  --tracers N               temperature, salinity and N - 2 dyes (2)\n"
    "  --steps N                 steps, of 20 minutes on the finest grids to an hour (3)\n"
    "  --solver NAME             standard or chrongear: the form of conjugate gradients (chrongear)\n"
    "  --members N               oceans advanced together, each from a different initial hill (1)\n"
    "  --first-member N          number of the first, which sets its initial hill; 0: the same hill as without\n"
    "                            --members and --first-member (0)\n"
    "  --case gyres|seiche       wind-driven gyres around a continent, or a seiche of known period (gyres)\n"
    "  --blocks COLUMNSxROWS     decomposition (default: shortest boundaries)\n";

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv,
                             {"grid", "tracers", "steps", "solver", "members", "first-member", "case", "blocks"});
  const std::vector<int> sizes = options.sizes("grid", "320x384x40", 3, 100000);
  Settings settings{};
  settings.grid = {sizes[0], sizes[1], sizes[2]};
  settings.tracers = static_cast<int>(options.whole("tracers", 2, 2, 100));
  settings.members = static_cast<int>(options.whole("members", 1, 1, 10000));
  settings.first_member = static_cast<int>(options.whole("first-member", 0, 0, 1000000));
  if (static_cast<double>(sizes[0]) * sizes[1] * sizes[2] * settings.tracers * settings.members > INT_MAX) {
    throw kit::UsageError("--grid and --tracers exceed 2^31 points" +
                          std::string(settings.members > 1 ? " with all members" : ""));
  }
  settings.steps = static_cast<int>(options.whole("steps", 3, 1, 1000000));
  settings.solver =
      options.choice("solver", {"chrongear", "standard"}) == "standard" ? Solver::standard : Solver::chrongear;
  settings.problem = options.choice("case", {"gyres", "seiche"}) == "seiche" ? Case::seiche : Case::gyres;
  if (options.text("blocks", "auto") != "auto") {
    const std::vector<int> cut = options.sizes("blocks", "4x2", 1, 100000);
    settings.columns = cut[0];
    settings.rows = cut[1];
  }
  return settings;
}

}  // namespace pop
