#include "settings.hpp"

#include <climits>

#include "field.hpp"
#include "kit/options.hpp"
#include "kit/program.hpp"

namespace s3d {

const char* const usage =
    "s3d: reacting compressible flow in a periodic box, on any number of MPI processes\n"
    "  --problem NAME    flame: a hot kernel in premixed vortices; sound, mixing: exact solutions, run on the grid "
    "and\n"
    "                    on one of half the spacing to see the order of convergence (flame)\n"
    "  --grid NXxNYxNZ   points (32x32x32)\n"
    "  --blocks PXxPYxPZ decomposition; blocks are at least 5 points wide (default: smallest cut faces)\n"
    "  --steps N         steps of six Runge-Kutta stages (10)\n"
    "  --monitor N       steps between computations of the global maxima (10)\n";

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv, {"problem", "grid", "blocks", "steps", "monitor"});
  Settings settings;
  settings.problem = options.choice("problem", {"flame", "sound", "mixing"});
  settings.grid = options.sizes("grid", "32x32x32", 1, 1 << 14);
  for (int points : settings.grid) {
    if (points < ghosts) throw kit::UsageError("--grid needs at least 5 points along each axis, the filter's width");
  }
  if (static_cast<double>(settings.grid[0]) * settings.grid[1] * settings.grid[2] > INT_MAX) {
    throw kit::UsageError("--grid has more than 2^31 points");
  }
  constexpr int fewest_exact = 12;  // with fewer the order of convergence does not show yet
  for (int points : settings.grid) {
    if (settings.exact() && points < fewest_exact) {
      throw kit::UsageError(settings.problem + " needs at least 12 points along each axis in --grid");
    }
  }
  if (!options.text("blocks", "").empty()) settings.blocks = options.sizes("blocks", "1x1x1", 1, 1 << 14);
  settings.steps = static_cast<int>(options.whole("steps", 10, 1, 1000000));
  settings.monitor_every = static_cast<int>(options.whole("monitor", 10, 1, 1000000));
  return settings;
}

}  // namespace s3d
