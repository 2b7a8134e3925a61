// The user's settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opatm {

struct Extent {
  int nx;
  int ny;
  int nz;  // levels, the last of which is the sea bed

  bool operator==(const Extent&) const = default;
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

constexpr int most_tracers = 1000;
constexpr int most_steps = 1000000;

struct Settings {
  Extent grid;
  bool grid_is_given;
  int tracers;
  bool tracers_are_given;
  int steps;
  int steps_before;  // those that the state is from with which the run begins
  Layout layout;
  Cost cost;
  std::string asked_segments;
  Segmentation segments;  // once the tracers are known: where a state is read, those it has
  Io io;
  int threads;             // of each process
  std::string make_input;  // folder; empty: the model runs
  bool merge;              // the made input is merged from twice the resolution
  std::string input;       // folder of forcing and initial state; empty: formulas
  std::string restart;     // file of the state to begin with; empty: that of `input`
  std::string save;        // file for the state at the end; empty: none
  std::string output;
  std::string hints;       // for files that all ranks read or write together: "name=value;name=value"
  bool hints_are_tried;    // then they are found at the beginning
  std::string hints_file;  // of choices from earlier runs; empty: none

  bool writes_netcdf() const { return output.ends_with(".nc"); }
};

extern const char* const usage;

// What --segments says of so many tracers; throws kit::UsageError.
Segmentation segmentation(const std::string& text, int tracers);

// A grid of these sizes; throws kit::UsageError if the model cannot have it.
Extent checked_grid(int64_t nx, int64_t ny, int64_t nz);

// Throws kit::UsageError, which names the option and the problem.
Settings read_settings(int argc, char** argv);

}  // namespace opatm
