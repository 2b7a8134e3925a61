#include "output.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "maps.hpp"
#include "model.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

constexpr int summary_tag = 10;
constexpr int map_tag = 20;

}  // namespace

const char* const map_names[output_maps] = {"concentration", "mean_concentration", "transport_change",
                                            "front_strength"};

int64_t outputs_of(const Settings& settings) {
  const int64_t last = settings.steps_before + settings.steps;
  const int64_t regular = last / steps_between_outputs - settings.steps_before / steps_between_outputs;
  return regular + (last % steps_between_outputs == 0 ? 0 : 1);
}

PlainLayout::PlainLayout(const Settings& settings)
    : header{0, 1, settings.grid.nx, settings.grid.ny, settings.grid.nz, settings.tracers, output_maps, Summary::bins} {
  std::memcpy(header.data(), "OPATMOUT", 8);
  const auto size = [](int64_t words) { return static_cast<uint64_t>(words); };
  summary_size = size(6 * settings.grid.nz + Summary::bins);
  map_size = size(settings.grid.nx) * size(settings.grid.nz) * size(settings.grid.ny);
  tracer_size = summary_size + output_maps * map_size;
  output_size = 1 + size(settings.tracers) * tracer_size;
}

Output::Output(const Settings& settings, const Decomposition& decomposition, int rank)
    : grid_(settings.grid),
      io_(settings.io),
      ranks_(decomposition.ranks()),
      rank_(rank),
      layout_(settings),
      block_(decomposition.block(rank)) {
  if (settings.writes_netcdf()) {
    file_ = create_netcdf_output(settings, block_);
  } else if (io_ != Io::parallel) {
    file_ = create_plain_output(settings, rank);
  }
  if (io_ == Io::gathered) {
    const auto summary = [this](int tracer, const Summary& whole) { write_summary(tracer, whole); };
    const auto piece = [this](int tracer, int map, const MapPiece& part) { write_piece(tracer, map, part); };
    gathering_ = std::make_unique<Gathering>(settings, decomposition, rank, Gathering::Sink{summary, piece});
  }
  if (rank != root) return;
  checksum_.feed(0, layout_.header.data(), layout_.header.size());
  if (io_ != Io::serial) return;
  for (std::vector<double>& map : whole_) map.resize(layout_.map_size);
}

void Output::write(const Model& model, int step) {
  ++outputs_;
  const int64_t number = step;
  if (rank_ == root) checksum_.feed(layout_.of_output(outputs_), &number, 1);
  if (file_ && (rank_ == root || io_ == Io::parallel)) file_->begin(number);
  if (io_ == Io::gathered) {
    gathering_->run(model, step);
  } else {
    write_by_tracer(model, step);
  }
  if (file_) file_->settle();
}

void Output::write_by_tracer(const Model& model, int step) {
  for (const Tracer& tracer : model.tracers) {
    Summary summary(grid_.nz);
    summary.describe(tracer, step, model.block, model.concentration[tracer.number], mean_concentration(model, tracer),
                     model.basin.thickness_m(), model.forcing ? &model.forcing->kind : nullptr);
    if (io_ == Io::parallel) {
      write_in_parallel(model, tracer, summary);
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
  write_tracer(tracer, summary);
}

// On the root, the summary takes in all others.
void Output::gather_summaries(Summary& summary) {
  std::vector<char> mine(summary.size_bytes());
  summary.copy_to(mine.data());
  std::vector<char> all(rank_ == root ? mine.size() * ranks_ : 0);
  const int size = static_cast<int>(mine.size());
  MPI_Gather(mine.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, root, MPI_COMM_WORLD);
  if (rank_ != root) return;
  Summary theirs(grid_.nz);
  for (int source = 0; source < ranks_; ++source) {
    if (source == root) continue;
    theirs.copy_from(all.data() + mine.size() * source);
    summary.add(theirs);
  }
}

void Output::write_in_parallel(const Model& model, const Tracer& tracer, Summary& summary) {
  gather_summaries(summary);
  if (rank_ == root) sum_up(tracer.number, summary);
  if (file_) file_->write_summary(tracer.number, summary);
  for (int map = 0; map < maps; ++map) {
    const std::vector<double> values = map_of_block(model, tracer, map);
    sum_up_part(tracer.number, map, {block_, 0, values.size(), values.data()});
    if (file_) file_->write_part(tracer.number, map, values);
  }
}

// The part of the checksum that belongs to a piece of a map.
void Output::sum_up_part(int tracer, int map, const MapPiece& piece) {
  const uint64_t begin = layout_.of_map(outputs_, tracer, map);
  piece.for_each_run(grid_,
                     [&](size_t at, const double* values, size_t count) { checksum_.feed(begin + at, values, count); });
}

void Output::write_piece(int tracer, int map, const MapPiece& piece) {
  sum_up_part(tracer, map, piece);
  if (file_) file_->write_piece(tracer, map, piece);
}

void Output::write_summary(int tracer, const Summary& summary) {
  sum_up(tracer, summary);
  if (file_) file_->write_summary(tracer, summary);
}

void Output::write_tracer(const Tracer& tracer, const Summary& summary) {
  write_summary(tracer.number, summary);
  for (int map = 0; map < maps; ++map) {
    checksum_.feed(layout_.of_map(outputs_, tracer.number, map), whole_[map].data(), whole_[map].size());
    file_->write_map(tracer.number, map, whole_[map]);
  }
}

// The part of the checksum that belongs to a tracer's summary.
void Output::sum_up(int tracer, const Summary& summary) {
  const std::vector<double> profiles = summary.profiles();
  uint64_t at = layout_.of_tracer(outputs_, tracer);
  checksum_.feed(at, profiles.data(), profiles.size());
  at += profiles.size();
  checksum_.feed(at, summary.blooming().data(), summary.blooming().size());
  at += summary.blooming().size();
  checksum_.feed(at, summary.histogram().data(), summary.histogram().size());
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

uint64_t Output::finish() {
  if (file_) file_->finish();
  file_.reset();
  gathering_.reset();
  uint64_t sum = checksum_.value();
  if (io_ == Io::parallel) {
    const uint64_t mine = sum;
    MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, root, MPI_COMM_WORLD);
  }
  return sum;
}

[[gnu::noinline]] void trcwri(Output& output, Model& model, int step) {
  output.write(model, step);
  for (std::vector<double>& sum : model.accumulated) std::fill(sum.begin(), sum.end(), 0.0);
  model.accumulated_steps = 0;
}

}  // namespace opatm
