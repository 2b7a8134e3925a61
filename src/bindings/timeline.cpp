// One iteration on some ranks, as columns, and what it is drawn from.
#include "analysis/timeline/timeline.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "analysis/timeline/marks.hpp"
#include "bindings/bindings.hpp"
#include "bindings/buffers.hpp"
#include "bindings/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using analysis::Profile;
using analysis::Timeline;
using Processes = std::vector<std::shared_ptr<trace::Process>>;

void check(const Profile& profile, const Processes& processes, const std::vector<uint32_t>& indices) {
  if (processes.size() != indices.size()) throw nb::value_error("expected one index per process");
  for (const uint32_t index : indices) {
    if (index >= profile.processes().size()) throw nb::value_error("process index out of range");
  }
}

nb::dict iteration(Timeline& timeline, uint64_t number, const std::vector<int32_t>& groups, const WorldRanks& given,
                   const analysis::CallWaits* waits) {
  const std::vector<analysis::WorldRank> world_ranks = world_ranks_of(timeline.profile(), given);
  analysis::TimelineColumns found;
  {
    nb::gil_scoped_release released;
    found = timeline.iteration(number, groups, world_ranks, waits);
  }
  nb::dict columns;
  columns["process"] = column(std::move(found.process));
  columns["world"] = column(std::move(found.world));
  columns["rank"] = column(std::move(found.rank));
  columns["iteration"] = column(std::move(found.iteration));
  columns["site"] = column(std::move(found.site));
  columns["kind"] = column(std::move(found.kind));
  columns["kinds"] = found.kinds;
  columns["function"] = text_column(std::move(found.function));
  columns["role"] = text_column(std::move(found.role));
  columns["begin_s"] = column(std::move(found.begin_s));
  columns["end_s"] = column(std::move(found.end_s));
  columns["gap_s"] = column(std::move(found.gap_s));
  columns["polled"] = column(std::move(found.polled));
  columns["waited_s"] = column(std::move(found.waited_s));
  columns["wait"] = text_column(std::move(found.wait));
  columns["waited_process"] = column(std::move(found.waited_process));
  columns["waited_index"] = column(std::move(found.waited_index));
  columns["partner_process"] = column(std::move(found.partner_process));
  columns["partner_rank"] = column(std::move(found.partner_rank));
  columns["partner_row"] = column(std::move(found.partner_row));
  columns["source_row"] = column(std::move(found.source_row));
  columns["completion_row"] = column(std::move(found.completion_row));
  columns["completed_s"] = column(std::move(found.completed_s));
  columns["bytes"] = column(std::move(found.bytes));
  columns["bytes_received"] = column(std::move(found.bytes_received));
  columns["sends"] = column(std::move(found.sends));
  columns["receives"] = column(std::move(found.receives));
  columns["unmatched"] = found.unmatched;
  return columns;
}

template <class T>
using Buffer = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> values_of(const Buffer<T>& buffer) {
  return {buffer.data(), buffer.size()};
}

// Rows whose columns Python owns.
class Rows {
 public:
  explicit Rows(const nb::dict& columns) {
    rows_.lane = take<int32_t>(columns, "lane");
    rows_.begin_s = take<double>(columns, "begin_s");
    rows_.end_s = take<double>(columns, "end_s");
    rows_.gap_s = take<double>(columns, "gap_s");
    rows_.completed_s = take<double>(columns, "completed_s");
    rows_.sent = take<int64_t>(columns, "sent");
    rows_.received = take<int64_t>(columns, "received");
    rows_.completion = take<int64_t>(columns, "completion");
    rows_.sends = take<int64_t>(columns, "sends");
    rows_.receives = take<int64_t>(columns, "receives");
    if (!rows_.consistent()) throw nb::value_error("the columns of a step do not belong together");
  }
  const analysis::StepRows* operator->() const { return &rows_; }
  const analysis::StepRows& operator*() const { return rows_; }

 private:
  template <class T>
  std::span<const T> take(const nb::dict& columns, const char* name) {
    auto buffer = nb::cast<Buffer<T>>(columns[name]);
    owners_.append(columns[name]);
    return values_of(buffer);
  }

  analysis::StepRows rows_;
  nb::list owners_;
};

nb::dict marks(const Rows& step, const std::optional<std::vector<int64_t>>& wanted, size_t lanes, double unit_s) {
  std::vector<int64_t> rows(wanted ? 0 : step->lane.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto is_row = [&](int64_t row) { return row >= 0 && static_cast<size_t>(row) < step->lane.size(); };
  if (wanted && !std::all_of(wanted->begin(), wanted->end(), is_row)) throw nb::value_error("no such row");
  const analysis::CallMarks found = analysis::call_marks(*step, wanted ? *wanted : rows, lanes, unit_s);
  nb::dict all;
  all["by_rank"] = found.by_lane;
  all["begin"] = found.begin;
  all["duration"] = found.duration;
  all["bytes"] = found.bytes;
  return all;
}

nb::dict messages(const Rows& step, double unit_s) {
  const analysis::MessageMarks found = analysis::message_marks(*step, unit_s);
  nb::dict all;
  all["send"] = found.send;
  all["receive"] = found.receive;
  all["completion"] = found.completion;
  all["arrival"] = found.arrival;
  all["bytes"] = found.bytes;
  return all;
}

nb::dict edges(const Rows& step, size_t lanes, double unit_s) {
  const analysis::LaneEdges found = analysis::lane_edges(*step, lanes, unit_s);
  nb::dict all;
  all["from"] = found.from;
  all["to"] = found.to;
  return all;
}

void bind_step_rows(nb::module_& m) {
  nb::class_<Rows>(m, "StepRows")
      .def(nb::init<const nb::dict&>(), "columns"_a)
      .def_prop_ro("start_s", [](const Rows& step) { return step->start_s(); })
      .def_prop_ro("stop_s", [](const Rows& step) { return step->stop_s(); })
      .def("marks", &marks, "rows"_a.none(), "lanes"_a, "unit_s"_a)
      .def("messages", &messages, "unit_s"_a)
      .def("edges", &edges, "lanes"_a, "unit_s"_a)
      .def(
          "after_others", [](const Rows& step, double unit_s) { return analysis::after_others(*step, unit_s); },
          "unit_s"_a);
}

}  // namespace

void bind_timeline(nb::module_& m) {
  bind_step_rows(m);
  nb::class_<Timeline>(m, "Timeline")
      .def(
          "__init__",
          [](Timeline* self, const Profile& profile, const Processes& processes, const std::vector<uint32_t>& indices,
             uint32_t loop) {
            check(profile, processes, indices);
            new (self) Timeline(profile, processes, indices, loop);
          },
          "profile"_a, "processes"_a, "indices"_a, "loop"_a = 0, nb::keep_alive<1, 2>())
      .def("iteration", &iteration, "number"_a, "groups"_a, "world_ranks"_a, "waits"_a.none())
      .def("times",
           [](Timeline& timeline) {
             std::vector<std::tuple<uint64_t, double, double, uint32_t>> all;
             for (const Timeline::Time& t : timeline.times()) {
               all.emplace_back(t.iteration, t.mean_ns, t.longest_ns, t.process);
             }
             return all;
           })
      .def(
          "sums",
          [](Timeline& timeline, const std::vector<uint64_t>& iterations, const std::vector<int32_t>& groups) {
            if (!std::is_sorted(iterations.begin(), iterations.end()))
              throw nb::value_error("iterations must be in ascending order");
            analysis::Timeline::Sums found;
            {
              nb::gil_scoped_release released;
              found = timeline.sums(iterations, groups);
            }
            nb::dict by_group, by_process;
            for (auto& [group, seconds] : found.groups) by_group[nb::int_(group)] = column(std::move(seconds));
            for (auto& [process, seconds] : found.gaps) by_process[nb::int_(process)] = column(std::move(seconds));
            return nb::make_tuple(by_group, by_process);
          },
          "iterations"_a, "groups"_a)
      .def("sites_besides", &Timeline::sites_besides, "iteration"_a);
}

}  // namespace leadline::bindings
