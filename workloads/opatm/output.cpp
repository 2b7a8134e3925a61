#include "output.hpp"

#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kit/program.hpp"
#include "model.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

constexpr int summary_tag = 10;
constexpr int map_tag = 20;

// Size of the horizontal gradient, mmol/m^3 per km. The last exchange of the step was made for it.
std::vector<double> front_strength(const Field& concentration) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(concentration.nx()) * concentration.levels() * concentration.ny());
  for (int i = 0; i < concentration.nx(); ++i) {
    for (int k = 0; k < concentration.levels(); ++k) {
      const double* here = concentration.row(i, k);
      const double* west = concentration.row(i - 1, k);
      const double* east = concentration.row(i + 1, k);
      for (int j = 0; j < concentration.ny(); ++j) {
        const double in_x = (east[j] - west[j]) / (2.0 * spacing_km);
        const double in_y = (here[j + 1] - here[j - 1]) / (2.0 * spacing_km);
        values.push_back(std::sqrt(in_x * in_x + in_y * in_y));
      }
    }
  }
  return values;
}

std::vector<double> mean_concentration(const Model& model, const Tracer& tracer) {
  std::vector<double> mean = model.accumulated[tracer.number];
  for (double& value : mean) value /= model.accumulated_steps;
  return mean;
}

// This block's part of a map.
std::vector<double> map_of_block(const Model& model, const Tracer& tracer, int map) {
  const Field& concentration = model.concentration[tracer.number];
  if (map == 1) return mean_concentration(model, tracer);
  if (map == 2) return model.transport_change[tracer.number];
  if (map == 3) return front_strength(concentration);
  std::vector<double> values(model.transport_change[tracer.number].size());
  concentration.copy_block_to(values.data());
  return values;
}

}  // namespace

Output::Output(const Settings& settings, const Decomposition& decomposition, int rank)
    : path_(settings.output), grid_(settings.grid), io_(settings.io), ranks_(decomposition.ranks()), rank_(rank) {
  int error = 0;
  if (rank == root) {
    file_.reset(std::fopen(path_.c_str(), "wb"));
    if (!file_) error = errno;
  }
  MPI_Bcast(&error, 1, MPI_INT, root, MPI_COMM_WORLD);
  if (error != 0) throw kit::UsageError("cannot write --output " + path_ + ": " + std::strerror(error));
  if (rank != root) return;
  const size_t points = static_cast<size_t>(grid_.nx) * grid_.ny * grid_.nz;
  for (std::vector<double>& map : whole_) map.resize(points);
  if (io_ == Io::gathered) gathered_.resize(points);
  write_words("OPATMOUT", 1);
  const int64_t header[] = {1, grid_.nx, grid_.ny, grid_.nz, settings.tracers, maps, Summary::bins};
  write_words(header, std::size(header));
}

void Output::write(const Model& model, int step) {
  if (rank_ == root) {
    const int64_t number = step;
    write_words(&number, 1);
  }
  for (const Tracer& tracer : model.tracers) {
    Summary summary(grid_.nz);
    summary.describe(tracer, step, model.block, model.concentration[tracer.number], mean_concentration(model, tracer),
                     model.basin.thickness_m());
    if (io_ == Io::gathered) {
      gather(model, tracer, summary);
    } else if (rank_ == root) {
      collect(model, tracer, summary);
    } else {
      send(model, tracer, summary);
    }
  }
}

void Output::send(const Model& model, const Tracer& tracer, Summary& summary) {
  for (const Summary::Piece& piece : summary.pieces()) {
    MPI_Send(piece.data, piece.count, piece.type, root, summary_tag, MPI_COMM_WORLD);
  }
  for (int map = 0; map < maps; ++map) {
    const std::vector<double> values = map_of_block(model, tracer, map);
    MPI_Send(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, root, map_tag, MPI_COMM_WORLD);
  }
}

void Output::collect(const Model& model, const Tracer& tracer, Summary& summary) {
  for (int map = 0; map < maps; ++map) place(map, model.block, map_of_block(model, tracer, map).data());
  Summary theirs(grid_.nz);
  std::vector<double> values;
  for (int source = 0; source < ranks_; ++source) {
    if (source == root) continue;
    for (const Summary::Piece& piece : theirs.pieces()) {
      MPI_Recv(piece.data, piece.count, piece.type, source, summary_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    summary.add(theirs);
    const Block block = theirs.block();
    values.resize(static_cast<size_t>(block.x.count) * grid_.nz * block.y.count);
    for (int map = 0; map < maps; ++map) {
      MPI_Recv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, source, map_tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      place(map, block, values.data());
    }
  }
  write_tracer(summary);
}

void Output::gather(const Model& model, const Tracer& tracer, Summary& summary) {
  gather_summaries(summary);
  for (int map = 0; map < maps; ++map) gather_map(model, tracer, map);
  if (rank_ == root) write_tracer(summary);
}

// On the root, the summary takes in all others.
void Output::gather_summaries(Summary& summary) {
  std::vector<char> mine;
  for (const Summary::Piece& piece : summary.pieces()) {
    const char* bytes = static_cast<const char*>(piece.data);
    mine.insert(mine.end(), bytes, bytes + 8 * static_cast<size_t>(piece.count));  // every element has 8 bytes
  }
  std::vector<char> all(rank_ == root ? mine.size() * ranks_ : 0);
  const int size = static_cast<int>(mine.size());
  MPI_Gather(mine.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, root, MPI_COMM_WORLD);
  if (rank_ != root) return;
  Summary theirs(grid_.nz);
  for (int source = 0; source < ranks_; ++source) {
    if (source == root) continue;
    const char* from = all.data() + mine.size() * source;
    for (const Summary::Piece& piece : theirs.pieces()) {
      const size_t bytes = 8 * static_cast<size_t>(piece.count);
      std::memcpy(piece.data, from, bytes);
      from += bytes;
    }
    summary.add(theirs);
  }
}

void Output::gather_map(const Model& model, const Tracer& tracer, int map) {
  const std::vector<double> values = map_of_block(model, tracer, map);
  std::vector<int> counts, places;
  int points = 0;
  for (int source = 0; source < ranks_; ++source) {
    const Block block = model.decomposition.block(source);
    counts.push_back(block.x.count * grid_.nz * block.y.count);
    places.push_back(points);
    points += counts.back();  // of the whole sea at the end, which settings.cpp keeps within an int
  }
  MPI_Gatherv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, gathered_.data(), counts.data(),
              places.data(), MPI_DOUBLE, root, MPI_COMM_WORLD);
  if (rank_ != root) return;
  for (int source = 0; source < ranks_; ++source) {
    place(map, model.decomposition.block(source), gathered_.data() + places[source]);
  }
}

void Output::write_tracer(const Summary& summary) {
  const std::vector<double> profiles = summary.profiles();
  write_words(profiles.data(), profiles.size());
  write_words(summary.blooming().data(), summary.blooming().size());
  write_words(summary.histogram().data(), summary.histogram().size());
  for (const std::vector<double>& map : whole_) write_words(map.data(), map.size());
}

void Output::place(int map, const Block& block, const double* values) {
  const double* from = values;
  for (int x = block.x.first; x < block.x.first + block.x.count; ++x) {
    for (int k = 0; k < grid_.nz; ++k, from += block.y.count) {
      const size_t at = (static_cast<size_t>(x) * grid_.nz + k) * grid_.ny + block.y.first;
      std::copy_n(from, block.y.count, whole_[map].begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

void Output::write_words(const void* words, size_t count) {
  checksum_.feed(words, 8 * count);
  if (std::fwrite(words, 8, count, file_.get()) != count) fail();
}

uint64_t Output::finish() {
  if (file_ && std::fflush(file_.get()) != 0) fail();
  file_.reset();
  return checksum_.value();
}

void Output::fail() const { throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno)); }

[[gnu::noinline]] void trcwri(Model& model, int step) {
  model.output.write(model, step);
  for (std::vector<double>& sum : model.accumulated) std::fill(sum.begin(), sum.end(), 0.0);
  model.accumulated_steps = 0;
}

}  // namespace opatm
