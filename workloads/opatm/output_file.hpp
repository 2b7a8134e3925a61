// Where the output goes: a plain binary file, or a NetCDF file. Both hold the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decomposition.hpp"
#include "map_piece.hpp"
#include "settings.hpp"

namespace opatm {

class Summary;  // which has mpi.h: what needs no more of it is compiled once for all MPI libraries

constexpr int output_maps = 4;
extern const char* const map_names[output_maps];

// The plain file is the root's alone. Of the NetCDF file, what is not said to be of all ranks is called by the root,
// and in the parallel way by all. What cannot be written is a std::runtime_error on the root, or a kit::UsageError on
// all ranks.
class OutputFile {
 public:
  virtual ~OutputFile() = default;

  virtual void begin(int64_t step) = 0;
  virtual void write_summary(int tracer, const Summary& summary) = 0;
  // Of the whole sea.
  virtual void write_map(int tracer, int map, const std::vector<double>& values) = 0;
  // Of any rank's block: in the gathered way only.
  virtual void write_piece(int tracer, int map, const MapPiece& piece) = 0;
  // Of this rank's block: in the parallel way only, where all ranks call it.
  virtual void write_part(int tracer, int map, const std::vector<double>& values) = 0;
  // All ranks that have the file: at the end of each output, and at the end.
  virtual void settle() = 0;
  virtual void finish() = 0;
};

// Both are collective over MPI_COMM_WORLD, and throw kit::UsageError on all ranks if the file cannot be created.
std::unique_ptr<OutputFile> create_plain_output(const Settings& settings, int rank);
std::unique_ptr<OutputFile> create_netcdf_output(const Settings& settings, const Block& block);

}  // namespace opatm
