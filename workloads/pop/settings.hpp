// The user's settings.
#pragma once

namespace pop {

struct Extent {
  int nx;
  int ny;
  int nz;
};

// The form of conjugate gradients that solves for the sea level.
enum class Solver { standard, chrongear };

// What the ocean starts from: gyres under a wind, or water that swings from wall to wall, whose motion is known.
enum class Case { gyres, seiche };

struct Settings {
  Extent grid;
  int tracers;
  int steps;
  Solver solver;
  Case problem;
  int members;       // oceans that are advanced together
  int first_member;  // the number of the first: what they start from
  int columns;       // blocks west to east and south to north; 0 where the program chooses
  int rows;
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace pop
