// The user's settings.
#pragma once

namespace wrf {

struct Extent {
  int nx;
  int ny;
  int nz;
};

// A jet with a disturbance that grows, or air that must stay at rest.
enum class Case { wave, rest };

struct Settings {
  Extent grid;
  int steps;
  Case problem;
  int columns;  // tiles west to east and south to north; 0 where the program chooses
  int rows;
  long sleep_ns;  // for each point and step, instead of computing; 0: it computes
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace wrf
