// The profile of a run.
#include "analysis/profile.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include "analysis/files.hpp"
#include "analysis/patterns/patterns.hpp"
#include "analysis/phases/phases.hpp"
#include "analysis/waits/iteration_waits.hpp"
#include "analysis/waits/waits.hpp"
#include "bindings/bindings.hpp"
#include "bindings/text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using analysis::Counts;
using analysis::ProcessSummary;
using analysis::Profile;
using analysis::Row;
using analysis::Sizes;
using analysis::Spread;

void bind_values(nb::module_& m) {
  nb::class_<analysis::CallEnds>(m, "CallEnds")
      .def_ro("collectives", &analysis::CallEnds::collectives)
      .def_ro("refused", &analysis::CallEnds::refused)
      .def_ro("cancelled_sends", &analysis::CallEnds::cancelled_sends)
      .def_ro("cancelled_receives", &analysis::CallEnds::cancelled_receives)
      .def_ro("posted", &analysis::CallEnds::posted)
      .def_ro("taken", &analysis::CallEnds::taken);
  nb::class_<Counts>(m, "Counts")
      .def_ro("calls", &Counts::calls)
      .def_ro("messages", &Counts::messages)
      .def_ro("operations", &Counts::operations)
      .def_ro("ends", &Counts::ends)
      .def_ro("sent", &Counts::sent)
      .def_ro("received", &Counts::received)
      .def_ro("contributed", &Counts::contributed)
      .def_ro("collected", &Counts::collected)
      .def_ro("put", &Counts::put)
      .def_ro("got", &Counts::got)
      .def_ro("time_ns", &Counts::time_ns);
  nb::class_<Spread>(m, "Spread")
      .def_ro("min", &Spread::min)
      .def_ro("median", &Spread::median)
      .def_ro("max", &Spread::max)
      .def_ro("min_process", &Spread::min_process)
      .def_ro("max_process", &Spread::max_process);
  nb::class_<Sizes>(m, "Sizes")
      .def_ro("messages", &Sizes::messages)
      .def_ro("bytes", &Sizes::bytes)
      .def_ro("distinct", &Sizes::distinct)
      .def_ro("distinct_complete", &Sizes::distinct_complete);
  nb::class_<Row>(m, "Row")
      .def_ro("total", &Row::total)
      .def_ro("min_ns", &Row::min_ns)
      .def_ro("max_ns", &Row::max_ns)
      .def_ro("max_ns_process", &Row::max_ns_process)
      .def_ro("processes", &Row::processes)
      .def_ro("calls", &Row::calls)
      .def_ro("messages", &Row::messages)
      .def_ro("bytes", &Row::bytes)
      .def_ro("received", &Row::received)
      .def_ro("time_ns", &Row::time_ns)
      .def_ro("hist", &Row::hist)
      .def_ro("sizes", &Row::sizes)
      .def_ro("operation_sizes", &Row::operation_sizes);
  nb::class_<analysis::Edge>(m, "Edge")
      .def_ro("source", &analysis::Edge::source)
      .def_ro("target", &analysis::Edge::target)
      .def_ro("messages", &analysis::Edge::messages)
      .def_ro("bytes", &analysis::Edge::bytes)
      .def_ro("operations", &analysis::Edge::operations)
      .def_ro("put", &analysis::Edge::put)
      .def_ro("got", &analysis::Edge::got);
}

// A path may be any bytes.
nb::str text(const std::string& bytes) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

// A tuple for every file: (name, opened by MPI, mapped, has a view, offset unknown, size, layers, distinct bytes read,
// the same beneath MPI-IO), with each layer (opens, closes, reads, writes, others, bytes read, bytes written, ns,
// sequential, strided, random).
nb::list files_of(const ProcessSummary& summary) {
  nb::list files;
  for (const trace::ProcessFile& f : summary.meta.files) {
    nb::list layers;
    for (const trace::ProcessFile::Counts& c : f.layers) {
      layers.append(nb::make_tuple(c.opens, c.closes, c.reads, c.writes, c.others, c.bytes_read, c.bytes_written,
                                   c.time_ns, c.sequential, c.strided, c.random));
    }
    files.append(nb::make_tuple(text(f.name), f.opened_by_mpi, f.mapped, f.has_view, f.offset_unknown, f.size, layers,
                                analysis::distinct_bytes(f.reads), analysis::distinct_bytes(f.beneath)));
  }
  return files;
}

void bind_summary(nb::module_& m) {
  nb::class_<trace::NamedRegion>(m, "NamedRegion")
      .def_ro("parent", &trace::NamedRegion::parent)
      .def_ro("name", &trace::NamedRegion::name);
  nb::class_<trace::RegionTimes>(m, "RegionTimes")
      .def_ro("region", &trace::RegionTimes::region)
      .def_ro("entries", &trace::RegionTimes::entries)
      .def_ro("sum_ns", &trace::RegionTimes::sum_ns)
      .def_ro("min_ns", &trace::RegionTimes::min_ns)
      .def_ro("max_ns", &trace::RegionTimes::max_ns);
  nb::class_<ProcessSummary>(m, "ProcessSummary")
      .def_prop_ro("file", [](const ProcessSummary& s) { return path_to_python(s.meta.file); })
      .def_prop_ro("rank", [](const ProcessSummary& s) { return s.meta.rank; })
      .def_prop_ro("world_size", [](const ProcessSummary& s) { return s.meta.world_size; })
      .def_prop_ro("world", [](const ProcessSummary& s) { return s.meta.world; })
      .def_prop_ro("host", [](const ProcessSummary& s) { return s.meta.host; })
      .def_prop_ro("program", [](const ProcessSummary& s) { return s.meta.program; })
      .def_prop_ro("library", [](const ProcessSummary& s) { return s.meta.library; })
      .def_prop_ro("family", [](const ProcessSummary& s) { return s.meta.family; })
      .def_prop_ro("pid", [](const ProcessSummary& s) { return s.meta.pid; })
      .def_prop_ro("initialized", [](const ProcessSummary& s) { return s.meta.initialized; })
      .def_prop_ro("initializing", [](const ProcessSummary& s) { return s.meta.initializing; })
      .def_prop_ro("finalized", [](const ProcessSummary& s) { return s.meta.finalized; })
      .def_prop_ro("complete", [](const ProcessSummary& s) { return s.meta.complete; })
      .def_prop_ro("start_unix_ns", [](const ProcessSummary& s) { return s.meta.start_unix_ns; })
      .def_prop_ro("duration_ns", [](const ProcessSummary& s) { return s.meta.duration_ns; })
      .def_prop_ro("own_overhead_ns", [](const ProcessSummary& s) { return s.meta.own_overhead_ns; })
      .def_prop_ro("file_bytes", [](const ProcessSummary& s) { return s.meta.file_bytes; })
      .def_prop_ro("losses", [](const ProcessSummary& s) { return s.meta.losses; })
      .def_prop_ro("pauses", [](const ProcessSummary& s) { return s.meta.pauses; })
      .def_prop_ro("sampling", [](const ProcessSummary& s) { return s.meta.sampling; })
      .def_prop_ro("variables", [](const ProcessSummary& s) { return s.meta.variables; })
      .def_prop_ro("settings", [](const ProcessSummary& s) { return s.meta.settings; })
      .def_prop_ro("conditions", [](const ProcessSummary& s) { return s.meta.conditions; })
      .def_ro("threads", &ProcessSummary::threads)
      .def_prop_ro(
          "ends",
          [](const ProcessSummary& s) {
            nb::list ends;
            for (const analysis::ThreadEnd& e : s.ends) {
              ends.append(nb::make_tuple(e.last_end_ns, e.in_call, e.function,
                                         e.site == UINT32_MAX ? -1 : static_cast<int64_t>(e.site), e.begin_ns));
            }
            return ends;
          })
      .def_ro("regions", &ProcessSummary::regions)
      .def_prop_ro("files_recorded", [](const ProcessSummary& s) { return s.meta.files_recorded; })
      .def("files", &files_of)
      .def_ro("file_calls", &ProcessSummary::files)
      .def_ro("files_ns", &ProcessSummary::files_ns)
      .def_ro("total", &ProcessSummary::total)
      .def_ro("gap_ns", &ProcessSummary::gap_ns)
      .def_prop_ro("own_ns", [](const ProcessSummary& s) { return s.own_ns + s.meta.own_between_calls_ns; })
      .def_ro("placed_polls", &ProcessSummary::placed_polls)
      .def_ro("unplaced_polls", &ProcessSummary::unplaced_polls)
      .def_ro("category_ns", &ProcessSummary::category_ns)
      .def_ro("category_calls", &ProcessSummary::category_calls);
}

// Not copies: of many ranks these would take more than all else.
nb::list processes_of(const nb::handle_t<Profile>& self) {
  nb::list processes;
  for (const ProcessSummary& process : nb::cast<const Profile&>(self).processes())
    processes.append(nb::cast(&process, nb::rv_policy::reference_internal, self));
  return processes;
}

// (function, local, context) of every site, without its figures, which may be large.
nb::list sites_of(const Profile& profile) {
  nb::list sites;
  for (const analysis::GlobalSite& site : profile.sites())
    sites.append(nb::make_tuple(site.function, site.local, site.context));
  return sites;
}

// (module, offset, parent) of every context; module None: see trace::no_module.
nb::list contexts_of(const Profile& profile) {
  nb::list contexts;
  for (const trace::Context& c : profile.contexts()) {
    const nb::object module = c.frame.module == trace::no_module ? nb::none() : nb::object(nb::int_(c.frame.module));
    contexts.append(nb::make_tuple(module, c.frame.offset, c.parent));
  }
  return contexts;
}

}  // namespace

void bind_profile(nb::module_& m) {
  bind_values(m);
  bind_summary(m);
  nb::class_<Profile>(m, "Profile")
      .def(nb::init<>())
      .def(
          "add", [](Profile& self, const trace::Process& process) { return self.add(process); }, "process"_a,
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("processes", &processes_of)
      .def_prop_ro("functions", &Profile::functions, nb::rv_policy::copy)
      .def_prop_ro("modules", &Profile::modules, nb::rv_policy::copy)
      .def("sites", &sites_of)
      .def("contexts", &contexts_of)
      .def_prop_ro("regions", &Profile::regions, nb::rv_policy::copy)
      .def("region_of_sites",
           [](const Profile& p) {
             std::vector<uint32_t> regions;
             for (const analysis::GlobalSite& site : p.sites()) regions.push_back(site.region);
             return regions;
           })
      .def(
          "samples",
          [](const Profile& p, size_t process) {
            nb::list found;
            const auto number = [](uint32_t n) { return n == UINT32_MAX ? -1 : static_cast<int64_t>(n); };
            for (const analysis::SampledPlace& s : p.processes().at(process).samples) {
              const bool within = s.loop && p.loops().main() && p.loops().within(s.loop, p.loops().main());
              found.append(nb::make_tuple(number(s.site), number(s.module), s.offset, within, s.count));
            }
            return found;
          },
          "process"_a)
      .def("edges", &Profile::edges)
      .def(
          "iteration_wait_finder",
          [](const Profile& p, const std::vector<uint64_t>& iterations, uint32_t loop, const analysis::RunWaits& run) {
            return std::make_unique<analysis::IterationWaitFinder>(p, iterations, loop, run);
          },
          "iterations"_a, "loop"_a, "run"_a, nb::keep_alive<0, 1>())
      .def(
          "wait_finder", [](const Profile& p) { return std::make_unique<analysis::WaitFinder>(p); },
          nb::keep_alive<0, 1>())
      .def(
          "phase_finder", [](const Profile& p) { return std::make_unique<analysis::PhaseFinder>(p); },
          nb::keep_alive<0, 1>())
      .def(
          "pattern_finder", [](const Profile& p) { return std::make_unique<analysis::PatternFinder>(p); },
          nb::keep_alive<0, 1>())
      .def("iterations", &Profile::iterations, "loop"_a = 0)
      .def_prop_ro("loops", &Profile::loops, nb::rv_policy::reference_internal)
      .def("time", &Profile::time)
      .def("rows", &Profile::rows, "groups"_a);
}

}  // namespace leadline::bindings
