#include "gathering.hpp"

#include <leadline_collections.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "maps.hpp"
#include "model.hpp"
#include "output_file.hpp"
#include "summary.hpp"

namespace opatm {
namespace {

constexpr int fields_of_tracer = 1 + output_maps;

size_t points_of(const Block& block, int levels) {
  return static_cast<size_t>(block.x.count) * levels * static_cast<size_t>(block.y.count);
}

// Never cut: the root adds up whole summaries.
leadline_face summary_face(std::vector<char>& bytes) { return {bytes.data(), bytes.size(), 0, {}, {}}; }

leadline_face map_face(std::vector<double>& values) {
  return {values.data(), sizeof(double), 1, {static_cast<int>(values.size())}, {sizeof(double)}};
}

void check(int code, const leadline_collection* plan) {
  if (code != LEADLINE_SEGMENTS_OK) throw std::runtime_error(leadline_collection_message(plan));
}

}  // namespace

void Gathering::Free::operator()(leadline_collection* plan) const { leadline_collection_free(&plan); }

Gathering::Gathering(const Settings& settings, const Decomposition& decomposition, int rank, Sink sink)
    : levels_(settings.grid.nz), rank_(rank), sink_(std::move(sink)), summary_bytes_(Summary(levels_).size_bytes()) {
  size_t most = 0;
  for (int other = 0; other < decomposition.ranks(); ++other) {
    blocks_.push_back(decomposition.block(other));
    most = std::max(most, points_of(blocks_.back(), levels_));
  }
  const size_t tracer = summary_bytes_ + output_maps * most * sizeof(double);
  together_ = static_cast<int>(std::clamp<size_t>(prepared_bytes / tracer, 1, settings.tracers));
  const size_t points = points_of(blocks_[rank], levels_);
  for (int place = 0; place < together_; ++place) {
    summaries_.emplace_back(summary_bytes_);
    for (int map = 0; map < output_maps; ++map) maps_.emplace_back(points);
  }
  many_ = plan_of(together_);
  if (settings.tracers % together_ != 0) rest_ = plan_of(settings.tracers % together_);
}

Gathering::~Gathering() = default;

Gathering::Plan Gathering::plan_of(int tracers) {
  const int root = kit::FieldFile::root;
  Plan plan(leadline_collection_create(MPI_COMM_WORLD, LEADLINE_TO_ROOT, root));
  for (int place = 0; place < tracers; ++place) {
    for (int n = 0; n < fields_of_tracer; ++n) {
      const std::string name = (n == 0 ? "summary" : map_names[n - 1]) + (" " + std::to_string(place));
      const leadline_face part =
          n == 0 ? summary_face(summaries_[place]) : map_face(maps_[place * output_maps + n - 1]);
      const int field = leadline_collection_field(plan.get(), name.c_str(), &part);
      if (rank_ == root) leadline_collection_handle(plan.get(), field, take, this);
    }
  }
  check(leadline_collection_commit(plan.get(), std::max(limit_bytes, blocks_.size() * summary_bytes_)), plan.get());
  return plan;
}

void Gathering::run(const Model& model, int step) {
  const int tracers = static_cast<int>(model.tracers.size());
  for (first_ = 0; first_ < tracers; first_ += together_) {
    const int now = std::min(together_, tracers - first_);
    for (int place = 0; place < now; ++place) prepare(model, first_ + place, step, place);
    const leadline_collection* plan = now == together_ ? many_.get() : rest_.get();
    const int code = leadline_collection_run(now == together_ ? many_.get() : rest_.get());
    if (thrown_) std::rethrow_exception(thrown_);
    check(code, plan);
  }
}

// What this rank has of a tracer, where the plans expect it.
void Gathering::prepare(const Model& model, int tracer, int step, int place) {
  const Tracer& described = model.tracers[tracer];
  std::vector<double>* maps = &maps_[static_cast<size_t>(place) * output_maps];
  for (int map = 0; map < output_maps; ++map) fill_map(model, described, map, maps[map].data());
  Summary summary(levels_);
  summary.describe(described, step, model.block, model.concentration[tracer], maps[1], model.basin.thickness_m(),
                   model.forcing ? &model.forcing->kind : nullptr);
  summary.copy_to(summaries_[place].data());
}

// Called from C, which no exception may pass through.
int Gathering::take(void* gathering, int field, int rank, size_t offset, void* data, size_t bytes) {
  auto* self = static_cast<Gathering*>(gathering);
  const int tracer = self->first_ + field / fields_of_tracer, map = field % fields_of_tracer - 1;
  try {
    if (map < 0) {
      self->take_summary(tracer, static_cast<const char*>(data));
    } else {
      const size_t first = offset / sizeof(double), count = bytes / sizeof(double);
      self->sink_.piece(tracer, map, {self->blocks_[rank], first, count, static_cast<const double*>(data)});
    }
    return 0;
  } catch (...) {
    self->thrown_ = std::current_exception();
    return 1;
  }
}

void Gathering::take_summary(int tracer, const char* bytes) {
  if (!sum_) sum_ = std::make_unique<Summary>(levels_);
  Summary theirs(levels_);
  theirs.copy_from(bytes);
  sum_->add(theirs);
  if (++summed_ < static_cast<int>(blocks_.size())) return;
  sink_.summary(tracer, *sum_);
  sum_.reset();
  summed_ = 0;
}

}  // namespace opatm
