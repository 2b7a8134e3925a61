// One iteration on some ranks, as columns.
#include "analysis/timeline/timeline.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

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
  if (processes.size() != indices.size()) throw nb::value_error("one index is needed for each process");
  for (const uint32_t index : indices) {
    if (index >= profile.processes().size()) throw nb::value_error("no such process in the profile");
  }
}

nb::dict iteration(Timeline& timeline, uint64_t number, const std::vector<int32_t>& groups, const WorldRanks& given) {
  const std::vector<analysis::WorldRank> world_ranks = world_ranks_of(timeline.profile(), given);
  analysis::TimelineColumns found;
  {
    nb::gil_scoped_release released;
    found = timeline.iteration(number, groups, world_ranks);
  }
  nb::dict columns;
  columns["process"] = column(std::move(found.process));
  columns["world"] = column(std::move(found.world));
  columns["rank"] = column(std::move(found.rank));
  columns["iteration"] = column(std::move(found.iteration));
  columns["site"] = column(std::move(found.site));
  columns["function"] = text_column(std::move(found.function));
  columns["role"] = text_column(std::move(found.role));
  columns["begin_s"] = column(std::move(found.begin_s));
  columns["end_s"] = column(std::move(found.end_s));
  columns["gap_s"] = column(std::move(found.gap_s));
  columns["polled"] = column(std::move(found.polled));
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

}  // namespace

void bind_timeline(nb::module_& m) {
  nb::class_<Timeline>(m, "Timeline")
      .def(
          "__init__",
          [](Timeline* self, const Profile& profile, const Processes& processes, const std::vector<uint32_t>& indices,
             uint32_t loop) {
            check(profile, processes, indices);
            new (self) Timeline(profile, processes, indices, loop);
          },
          "profile"_a, "processes"_a, "indices"_a, "loop"_a = 0, nb::keep_alive<1, 2>())
      .def("iteration", &iteration, "number"_a, "groups"_a, "world_ranks"_a)
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
            if (!std::is_sorted(iterations.begin(), iterations.end())) throw nb::value_error("iterations must ascend");
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
