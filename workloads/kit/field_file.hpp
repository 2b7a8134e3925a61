// Fields that are spread over the ranks, in a NetCDF file: read and written in one of three ways.
//
//   serial    every rank reads whole arrays and keeps its part; parts are sent to the root, which alone writes
//   gathered  the root reads and scatters, gathers and writes
//   parallel  all ranks together, each its part, through PnetCDF's collective calls
//
// Everything here is collective over MPI_COMM_WORLD. What fails on some ranks only is kept until settle(), where all
// ranks learn of it, so nobody is left waiting.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kit/netcdf_file.hpp"

namespace kit {

enum class Way { serial, gathered, parallel };

// A part of a field, in each of its dimensions. Parts of two ranks may overlap in what is read, as halos do.
struct Box {
  std::array<int64_t, 3> first;
  std::array<int64_t, 3> count;

  int64_t points() const { return count[0] * count[1] * count[2]; }
};

// How a field is spread: its size, and each rank's part.
struct Spread {
  std::array<int64_t, 3> whole;
  std::vector<Box> parts;

  int64_t points() const { return whole[0] * whole[1] * whole[2]; }
};

class FieldFile {
 public:
  static constexpr int root = 0;

  // hints: for the parallel way, as in netcdf_file.hpp. Throws kit::UsageError on all ranks if the file cannot be
  // opened.
  FieldFile(const std::string& path, Access access, Way way, const std::string& hints = "");

  // Calls act(file) on the ranks that have the file open: the root alone or all of them. Nothing is done after a
  // failure, except in the parallel way, where every rank has to make every call.
  template <typename Act>
  void on_file(Act act) {
    if (!file_ || (!problem_.empty() && way_ != Way::parallel)) return;
    try {
      act(*file_);
    } catch (const NetcdfError& error) {
      if (problem_.empty()) problem_ = error.what();
    }
  }

  // What the file says of itself: the same on all ranks, 0 after a failure.
  int64_t length(const std::string& dimension);
  int64_t number(const std::string& attribute);

  // The field of that name, whose dimensions are the leading ones and the field's own three.
  int variable(const std::string& name, const std::vector<int64_t>& shape);

  // A field, or that of these leading indices, from or to this rank's part of the spread.
  void read(int variable, const std::vector<int64_t>& leading, const Spread& spread, std::vector<double>& part);
  void write(int variable, const std::vector<int64_t>& leading, const Spread& spread, const std::vector<double>& part);

  // Throws kit::UsageError on all ranks if anything has failed on any.
  void settle();
  void close();

  // What has failed on this rank so far; empty if nothing has.
  const std::string& problem() const { return problem_; }

 private:
  int64_t agreed(int64_t value) const;
  void read_whole(int variable, const std::vector<int64_t>& leading, const Spread& spread);
  void scatter(const Spread& spread, std::vector<double>& part);
  void gather(const Spread& spread, const std::vector<double>& part);

  Way way_;
  int rank_ = 0;
  int ranks_ = 1;
  std::unique_ptr<NetcdfFile> file_;  // null: another rank has it
  std::string problem_;
  std::vector<double> whole_;   // one field
  std::vector<double> packed_;  // its parts, one after another
};

// Throws UsageError with the problem of the lowest rank that has one, on all ranks. Collective over MPI_COMM_WORLD.
void agree_on(const std::string& problem);

}  // namespace kit
