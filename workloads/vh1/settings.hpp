// The user's settings.
#pragma once

#include <string>
#include <vector>

namespace vh1 {

struct Settings {
  std::vector<int> grid;     // zones in x, y, z; z = 1 is a problem in two dimensions
  std::vector<int> pencils;  // py, pz; empty: as square as fits
  std::string problem;       // blast, or sod-x, sod-y, sod-z: a shock tube along that axis
  int steps;                 // pairs of cycles

  bool flat() const { return grid[2] == 1; }
  int tube_axis() const { return problem == "blast" ? -1 : problem.back() - 'x'; }
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace vh1
