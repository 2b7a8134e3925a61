// The iterations of a run.
#include "analysis/iterations.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "analysis/clocks.hpp"
#include "analysis/loops.hpp"
#include "analysis/matching/matching.hpp"
#include "bindings/bindings.hpp"
#include "trace/process.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

namespace {

// (module, offset); no module: None, as in Profile.contexts.
using Place = std::pair<std::optional<uint32_t>, uint64_t>;

Place place_of(const trace::Frame& f) {
  if (f.module == trace::no_module) return {std::nullopt, f.offset};
  return {f.module, f.offset};
}

std::vector<Place> places_of(const std::vector<trace::Frame>& frames) {
  std::vector<Place> all;
  for (const trace::Frame& f : frames) all.push_back(place_of(f));
  return all;
}

}  // namespace

void bind_iterations(nb::module_& m) {
  using analysis::Outlier;
  using analysis::RunIterations;
  using analysis::StripEntry;
  nb::class_<StripEntry>(m, "StripEntry")
      .def_ro("first", &StripEntry::first)
      .def_ro("last", &StripEntry::last)
      .def_ro("timed", &StripEntry::timed)
      .def_ro("mean_ns", &StripEntry::mean_ns)
      .def_ro("min_ns", &StripEntry::min_ns)
      .def_ro("max_ns", &StripEntry::max_ns)
      .def_ro("max_process", &StripEntry::max_process)
      .def_ro("max_iteration", &StripEntry::max_iteration);
  nb::class_<Outlier>(m, "Outlier")
      .def_ro("iteration", &Outlier::iteration)
      .def_ro("process", &Outlier::process)
      .def_ro("time_ns", &Outlier::time_ns)
      .def_ro("typical_ns", &Outlier::typical_ns)
      .def_ro("computation_ns", &Outlier::computation_ns);
  nb::class_<RunIterations>(m, "RunIterations")
      .def_ro("found", &RunIterations::found)
      .def_ro("loop", &RunIterations::loop)
      .def_ro("missing", &RunIterations::missing)
      .def_ro("process", &RunIterations::process)
      .def_ro("after", &RunIterations::after)
      .def_ro("site", &RunIterations::site)
      .def_ro("count", &RunIterations::count)
      .def_ro("calls", &RunIterations::calls)
      .def_ro("mean_ns", &RunIterations::mean_ns)
      .def_ro("min_ns", &RunIterations::min_ns)
      .def_ro("max_ns", &RunIterations::max_ns)
      .def_ro("strip", &RunIterations::strip)
      .def_ro("outliers", &RunIterations::outliers)
      .def_ro("sampled", &RunIterations::sampled)
      .def_ro("kept", &RunIterations::kept);
  using analysis::LoopCell;
  using analysis::RunLoop;
  using analysis::RunLoops;
  nb::class_<LoopCell>(m, "LoopCell")
      .def_ro("process", &LoopCell::process)
      .def_ro("repeats", &LoopCell::repeats)
      .def_ro("entries", &LoopCell::entries)
      .def_ro("calls", &LoopCell::calls)
      .def_ro("time_ns", &LoopCell::time_ns);
  nb::class_<RunLoop>(m, "RunLoop")
      .def_ro("outer", &RunLoop::outer)
      .def_prop_ro("header", [](const RunLoop& l) { return place_of(l.header); })
      .def_prop_ro("last", [](const RunLoop& l) { return place_of(l.last); })
      .def_prop_ro("callers", [](const RunLoop& l) { return places_of(l.callers); })
      .def_prop_ro("calls", [](const RunLoop& l) { return places_of(l.calls); })
      .def_ro("by_order", &RunLoop::by_order)
      .def_ro("silent", &RunLoop::silent)
      .def_ro("about", &RunLoop::about)
      .def_ro("cut", &RunLoop::cut)
      .def_ro("cells", &RunLoop::cells);
  using structure::LoopShape;
  nb::class_<LoopShape>(m, "LoopShape")
      .def_ro("iterations", &LoopShape::iterations)
      .def_ro("variants", &LoopShape::variants)
      .def_ro("fewest", &LoopShape::fewest)
      .def_ro("usual", &LoopShape::usual)
      .def_ro("most", &LoopShape::most)
      .def_ro("varying", &LoopShape::varying)
      .def_ro("cut_within", &LoopShape::cut_within)
      .def_prop_ro("restarts", [](const LoopShape& shape) { return shape.restarts.times; })
      .def_prop_ro("restart_iterations", [](const LoopShape& shape) { return shape.restarts.iterations; });
  nb::class_<RunLoops>(m, "RunLoops")
      .def_prop_ro("all", &RunLoops::all)
      .def_prop_ro("main", &RunLoops::main)
      .def("choose", &RunLoops::choose, nb::arg("loop"))
      .def("iterations", nb::overload_cast<uint32_t>(&RunLoops::iterations, nb::const_))
      .def("time_ns", &RunLoops::time_ns)
      .def("mean_ns", &RunLoops::mean_ns)
      .def("shape", &RunLoops::shape)
      .def("within", &RunLoops::within)
      .def_prop_ro("trees", &RunLoops::trees)
      .def_prop_ro("lost_calls", &RunLoops::lost_calls);
  using analysis::ProcessTime;
  using analysis::RunTime;
  nb::class_<ProcessTime>(m, "ProcessTime")
      .def_ro("begin_ns", &ProcessTime::begin_ns)
      .def_ro("rate", &ProcessTime::rate)
      .def_ro("error_ns", &ProcessTime::error_ns);
  nb::class_<RunTime>(m, "RunTime")
      .def_ro("processes", &RunTime::processes)
      .def_ro("kind", &RunTime::kind)
      .def_ro("clocks", &RunTime::clocks)
      .def_ro("error_ns", &RunTime::error_ns)
      .def_ro("drift_known", &RunTime::drift_known);
  using analysis::MatchedCall;
  using analysis::MatchedIteration;
  nb::class_<MatchedCall>(m, "MatchedCall")
      .def_ro("process", &MatchedCall::process)
      .def_ro("stream", &MatchedCall::stream)
      .def_ro("site", &MatchedCall::site)
      .def_ro("function", &MatchedCall::function)
      .def_ro("iteration", &MatchedCall::iteration)
      .def_prop_ro("role",
                   [](const MatchedCall& c) {
                     constexpr const char* names[] = {"other", "send", "receive", "both", "collective"};
                     return names[static_cast<size_t>(c.role)];
                   })
      .def_ro("begin_ns", &MatchedCall::begin_ns)
      .def_ro("duration_ns", &MatchedCall::duration_ns)
      .def_ro("gap_ns", &MatchedCall::gap_ns)
      .def_ro("polled", &MatchedCall::polled)
      .def_ro("comm", &MatchedCall::comm)
      .def_ro("source", &MatchedCall::source)
      .def_ro("dest", &MatchedCall::dest)
      .def_ro("tag", &MatchedCall::tag)
      .def_ro("number", &MatchedCall::number)
      .def_ro("partner", &MatchedCall::partner)
      .def_ro("second_partner", &MatchedCall::second_partner);
  nb::class_<MatchedIteration>(m, "MatchedIteration")
      .def_ro("calls", &MatchedIteration::calls)
      .def_ro("unmatched_sends", &MatchedIteration::unmatched_sends)
      .def_ro("unmatched_receives", &MatchedIteration::unmatched_receives);
  using analysis::Matching;
  nb::class_<Matching>(m, "Matching")
      .def(nb::init<std::vector<std::shared_ptr<trace::Process>>>(), nb::arg("processes"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("iteration", &Matching::iteration, nb::arg("number"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace leadline::bindings
