// The output: profiles and maps of every tracer, to a plain binary file or a NetCDF file.
//
// The plain file, in 8-byte words of this machine's order, integers unless said otherwise:
//   "OPATMOUT", version (1), nx, ny, nz, tracers, maps (4), bins (512);
//   for each output:  the step's number (from 1), then for each tracer
//     float64[5][nz]          profiles: inventory, inventory of the mean, sinking flux, minimum, maximum
//     int64[nz], int64[512]   blooming cells, histogram
//     float64[4][nx][nz][ny]  maps: concentration, its mean since the last output, change by transport in the last
//                             step, strength of fronts (size of the horizontal gradient)
// The checksum is over these words, whatever file they go to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "decomposition.hpp"
#include "gathering.hpp"
#include "kit/checksum.hpp"
#include "kit/field_file.hpp"
#include "output_file.hpp"
#include "settings.hpp"
#include "tracers.hpp"

namespace opatm {

struct Model;

constexpr int steps_between_outputs = 48;

// Of a whole run, which ends with one.
int64_t outputs_of(const Settings& settings);

// Where in the plain file what stands, in words.
struct PlainLayout {
  explicit PlainLayout(const Settings& settings);

  uint64_t of_output(int64_t output) const { return header.size() + static_cast<uint64_t>(output) * output_size; }
  uint64_t of_tracer(int64_t output, int tracer) const { return of_output(output) + 1 + tracer * tracer_size; }
  uint64_t of_map(int64_t output, int tracer, int map) const {
    return of_tracer(output, tracer) + summary_size + map * map_size;
  }

  std::array<int64_t, 8> header;
  uint64_t summary_size, map_size, tracer_size, output_size;
};

class Output {
 public:
  static constexpr int maps = output_maps;
  static constexpr int root = kit::FieldFile::root;

  // Creates the file. Collective over MPI_COMM_WORLD; throws kit::UsageError on all ranks if it fails.
  Output(const Settings& settings, const Decomposition& decomposition, int rank);

  // Writes the model's state. Serial: twelve messages per tracer to the root, in blocking MPI_Send. Gathered: by
  // collections (gathering.hpp). Parallel: an MPI_Gather of the summaries per tracer; each rank writes its part of the
  // maps. Throws std::runtime_error when the file cannot be written.
  void write(const Model& model, int step);

  // Closes the file; the checksum on the root. Collective over MPI_COMM_WORLD; throws as write() does.
  uint64_t finish();

 private:
  void write_by_tracer(const Model& model, int step);
  void send(const Model& model, const Tracer& tracer, Summary& summary);
  void collect(const Model& model, const Tracer& tracer, Summary& summary);
  void gather_summaries(Summary& summary);
  void write_in_parallel(const Model& model, const Tracer& tracer, Summary& summary);
  void sum_up_part(int tracer, int map, const MapPiece& piece);
  void write_piece(int tracer, int map, const MapPiece& piece);
  void write_summary(int tracer, const Summary& summary);
  void write_tracer(const Tracer& tracer, const Summary& summary);
  void sum_up(int tracer, const Summary& summary);
  void place(int map, const Block& block, const double* values);

  Extent grid_;
  Io io_;
  int ranks_;
  int rank_;
  PlainLayout layout_;
  Block block_;
  int64_t outputs_ = -1;              // the number of the last one
  std::unique_ptr<OutputFile> file_;  // null: another rank has it
  kit::Checksum checksum_;            // of what this rank writes
  std::vector<double> whole_[maps];   // one tracer's maps of the whole sea: in the serial way only
  std::unique_ptr<Gathering> gathering_;
};

extern "C" void trcwri(Output& output, Model& model, int step);  // the output, whose means begin again after it

}  // namespace opatm
