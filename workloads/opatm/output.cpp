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
    : path_(settings.output), grid_(settings.grid), ranks_(decomposition.ranks()), rank_(rank) {
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
    if (rank_ == root) {
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
  for (int map = 0; map < maps; ++map) place(map, model.block, map_of_block(model, tracer, map));
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
      place(map, block, values);
    }
  }
  const std::vector<double> profiles = summary.profiles();
  write_words(profiles.data(), profiles.size());
  write_words(summary.blooming().data(), summary.blooming().size());
  write_words(summary.histogram().data(), summary.histogram().size());
  for (const std::vector<double>& map : whole_) write_words(map.data(), map.size());
}

void Output::place(int map, const Block& block, const std::vector<double>& values) {
  const double* from = values.data();
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
