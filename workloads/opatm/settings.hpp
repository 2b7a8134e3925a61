// The user's settings.
#pragma once

#include <string>
#include <vector>

namespace opatm {

struct Extent {
  int nx;
  int ny;
  int nz;  // levels, the last of which is the sea bed
};

// How the sea is cut: into strips along x (of these widths, or even ones where none are given), or along x and y.
struct Layout {
  bool in_strips = true;
  std::vector<int> widths;
};

enum class Cost { full, light };

// How the output reaches the root: in blocking sends of every piece, or in collectives.
enum class Io { serial, gathered };

// The tracers whose messages travel together: each segment's number of tracers. None: a message for each tracer.
struct Segmentation {
  bool packed = false;
  bool tuned = false;  // found in the first steps; `sizes` is then one segment of all
  std::vector<int> sizes;
};

struct Settings {
  Extent grid;
  int tracers;
  int steps;
  Layout layout;
  Cost cost;
  Segmentation segments;
  Io io;
  std::string output;
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace opatm
