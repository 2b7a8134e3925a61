// The user's settings.
#pragma once

#include <string>
#include <vector>

namespace s3d {

struct Settings {
  std::string problem;      // flame, or one with an exact solution: sound, mixing
  std::vector<int> grid;    // points in x, y, z
  std::vector<int> blocks;  // parts in x, y, z; empty: where the cut faces are smallest
  int steps;
  int monitor_every;  // steps

  bool exact() const { return problem != "flame"; }
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace s3d
