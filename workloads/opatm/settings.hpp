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

// How files are read and written: by every rank (input) or in blocking sends of every piece to the root (output); by
// the root, in collectives; by all ranks together.
enum class Io { serial, gathered, parallel };

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
  std::string hints;  // for files that all ranks read or write together: "name=value;name=value"

  bool writes_netcdf() const { return output.ends_with(".nc"); }
};

extern const char* const usage;

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace opatm
