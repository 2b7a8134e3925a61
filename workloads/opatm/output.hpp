// The output: everything goes to rank 0, which alone writes it, as one plain binary file.
//
// The file, in 8-byte words of this machine's order, integers unless said otherwise:
//   "OPATMOUT", version (1), nx, ny, nz, tracers, maps (4), bins (512);
//   for each output:  the step's number (from 1), then for each tracer
//     float64[5][nz]          profiles: inventory, inventory of the mean, sinking flux, minimum, maximum
//     int64[nz], int64[512]   blooming cells, histogram
//     float64[4][nx][nz][ny]  maps: concentration, its mean since the last output, change by transport in the last
//                             step, strength of fronts (size of the horizontal gradient)
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "decomposition.hpp"
#include "kit/checksum.hpp"
#include "settings.hpp"
#include "tracers.hpp"

namespace opatm {

struct Model;
class Summary;  // which has mpi.h: what needs no more of it is compiled once for all MPI libraries

class Output {
 public:
  static constexpr int maps = 4;
  static constexpr int root = 0;

  // Opens the file on the root. Collective over MPI_COMM_WORLD; throws kit::UsageError on all ranks if it fails.
  Output(const Settings& settings, const Decomposition& decomposition, int rank);

  // Brings the model's state to the root, which writes it. Serial: twelve messages per tracer, in blocking MPI_Send.
  // Gathered: an MPI_Gather of the summaries and an MPI_Gatherv of each map per tracer. Throws std::runtime_error on
  // the root when the file cannot be written.
  void write(const Model& model, int step);

  // Closes the file; the checksum of all its bytes on the root. Throws as write() does.
  uint64_t finish();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void send(const Model& model, const Tracer& tracer, Summary& summary);
  void collect(const Model& model, const Tracer& tracer, Summary& summary);
  void gather(const Model& model, const Tracer& tracer, Summary& summary);
  void gather_summaries(Summary& summary);
  void gather_map(const Model& model, const Tracer& tracer, int map);
  void write_tracer(const Summary& summary);
  void place(int map, const Block& block, const double* values);
  void write_words(const void* words, size_t count);
  [[noreturn]] void fail() const;

  std::string path_;
  Extent grid_;
  Io io_;
  int ranks_;
  int rank_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  kit::Checksum checksum_;
  std::vector<double> whole_[maps];  // one tracer's maps of the whole sea
  std::vector<double> gathered_;     // one map as MPI_Gatherv leaves it, block after block
};

}  // namespace opatm
