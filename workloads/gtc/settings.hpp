// The user's settings.
#pragma once

namespace gtc {

struct Settings {
  int radial;      // points of a plane from the inner to the outer boundary
  int poloidal;    // points of a plane the short way round
  int planes;      // the long way round
  long particles;  // of all processes
  int domains;     // toroidal; 0: as many as the numbers of processes and planes allow
  int steps;
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace gtc
