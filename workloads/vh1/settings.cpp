#include "settings.hpp"

#include "kit/options.hpp"
#include "kit/program.hpp"

namespace vh1 {

const char* const usage =
    "vh1: gas dynamics by the piecewise-parabolic method (Lagrange and remap), on any number of MPI processes\n"
    "  --problem NAME    blast: a hot ball in a periodic box; sod-x, sod-y, sod-z: Sod's shock tube along an axis "
    "(blast)\n"
    "  --grid NXxNYxNZ   zones; NZ = 1 is two-dimensional (64x64x64)\n"
    "  --pencils PYxPZ   how y and z are cut; NX is divisible by both, NY by PY, NZ by PZ (nearly square)\n"
    "  --steps N         pairs of cycles: sweeps x y z y x, in two dimensions x y x (10)\n";

Settings read_settings(int argc, char** argv) {
  constexpr int fewest_zones = 4;  // along an axis that is not left out, so that a line is more than its own ghosts
  const kit::Options options(argc, argv, {"problem", "grid", "pencils", "steps"});
  Settings settings;
  settings.problem = options.choice("problem", {"blast", "sod-x", "sod-y", "sod-z"});
  settings.grid = options.sizes("grid", "64x64x64", 1, 1 << 16);
  settings.steps = static_cast<int>(options.whole("steps", 10, 1, 1000000));
  if (!options.text("pencils", "").empty()) settings.pencils = options.sizes("pencils", "1x1", 1, 1 << 20);
  const int nz = settings.grid[2];
  if (settings.grid[0] < fewest_zones || settings.grid[1] < fewest_zones || (nz < fewest_zones && nz != 1)) {
    throw kit::UsageError("--grid needs at least 4 zones along x, y and z, or just 1 along z");
  }
  // With fewer the waves, spread over some zones, touch the ends of the tube before its time is over.
  constexpr int fewest_along_tube = 48;
  const int axis = settings.tube_axis();
  if (axis >= 0 && settings.grid[axis] < fewest_along_tube) {
    throw kit::UsageError(settings.problem + " needs at least 48 zones along its axis in --grid");
  }
  return settings;
}

}  // namespace vh1
