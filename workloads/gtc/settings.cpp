#include "settings.hpp"

#include <climits>

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace gtc {

const char* const usage =
    "gtc: gyrating particles in a torus and the field they make, on any number of MPI processes\n"
    "  --grid NRxNTHETAxNZETA  points along the minor radius, poloidally and toroidally (33x64x16)\n"
    "  --particles N           in the whole torus (400000)\n"
    "  --domains N             toroidal domains, a divisor of NZETA and of the number of ranks; the ranks of "
    "a\n"
    "                          domain share its particles (the largest possible number)\n"
    "  --steps N               steps of two Runge-Kutta stages (10)\n";

Settings read_settings(int argc, char** argv) {
  const kit::Options options(argc, argv, {"grid", "particles", "domains", "steps"});
  const std::vector<int> grid = options.sizes("grid", "33x64x16", 1, 1 << 14);
  if (grid[0] < 5 || grid[1] < 8) throw kit::UsageError("--grid needs at least 5 points radially and 8 poloidally");
  if (grid[1] % 2 != 0) throw kit::UsageError("--grid needs an even number of points poloidally");
  if (static_cast<double>(grid[0]) * grid[1] * (grid[2] + 2) * 3 > INT_MAX) {
    throw kit::UsageError("--grid has too many points for one message");
  }
  Settings settings{};
  settings.radial = grid[0];
  settings.poloidal = grid[1];
  settings.planes = grid[2];
  settings.particles = options.whole("particles", 400000, 1, 1000000000);
  settings.domains = static_cast<int>(options.whole("domains", 0, 0, 1 << 14));
  settings.steps = static_cast<int>(options.whole("steps", 10, 1, 1000000));
  return settings;
}

}  // namespace gtc
