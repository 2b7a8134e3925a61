// Exports of a run to the formats of other tools.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/buffers.hpp"
#include "bindings/text.hpp"
#include "interchange/actions.hpp"
#include "interchange/call_rows.hpp"
#include "interchange/goal.hpp"
#include "interchange/importing/otf2_import.hpp"
#include "interchange/otf2.hpp"
#include "interchange/perfetto.hpp"
#include "interchange/simgrid.hpp"
#include "interchange/site_sums.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using analysis::ProcessLoop;
using analysis::Profile;
using interchange::Window;
using Iterations = std::optional<std::pair<uint64_t, uint64_t>>;

Window window_of(const Iterations& iterations) {
  return iterations ? Window{false, iterations->first, iterations->second} : Window{};
}

// (sites, sizes, untimed): of each site (number, calls, messages, bytes out, bytes in, ns); of the messages (number,
// least, most, sum, sum of squares, exact).
nb::tuple site_sums(const Profile& profile, const trace::Process& process, uint32_t index, uint32_t loop,
                    const Iterations& iterations) {
  const ProcessLoop found = interchange::loop_on(profile, index, loop);
  interchange::ProcessSums sums;
  {
    nb::gil_scoped_release released;
    sums = interchange::site_sums(profile, process, index, found, window_of(iterations));
  }
  nb::list sites;
  for (const interchange::SiteSum& s : sums.sites) {
    sites.append(nb::make_tuple(s.site, s.calls, s.messages, s.sent, s.received, s.time_ns));
  }
  const interchange::MessageSizes& z = sums.sizes;
  return nb::make_tuple(sites, nb::make_tuple(z.messages, z.least, z.most, z.sum, z.squares, z.exact), sums.untimed);
}

void check(int error) {
  if (!error) return;
  errno = error;
  PyErr_SetFromErrno(PyExc_OSError);
  nb::raise_python_error();
}

// (calls, messages, collectives, untimed, unmatched)
nb::tuple told(const interchange::Exported& sums) {
  return nb::make_tuple(sums.calls, sums.messages, sums.collectives, sums.untimed, sums.unmatched);
}

void bind_perfetto(nb::module_& m) {
  using interchange::PerfettoExport;
  nb::class_<PerfettoExport>(m, "PerfettoExport")
      .def(
          "__init__",
          [](PerfettoExport* self, const std::string& path, const Profile& profile, uint32_t loop,
             const Iterations& iterations, const std::vector<std::string>& sites) {
            new (self) PerfettoExport(path, profile, loop, window_of(iterations), sites);
          },
          "path"_a, "profile"_a, "loop"_a, "iterations"_a.none(), "sites"_a, nb::keep_alive<1, 3>())
      .def("scan", &PerfettoExport::scan, "process"_a, "index"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("begin", &PerfettoExport::begin)
      .def("write", &PerfettoExport::write, "process"_a, "index"_a, "label"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("finish", [](PerfettoExport& self) {
        interchange::Exported sums;
        check(self.finish(&sums));
        return told(sums);
      });
}

// Raises ImportError if no library can be loaded, ValueError if the archive cannot be written.
void bind_otf2(nb::module_& m) {
  using interchange::Otf2Export;
  using Lanes = std::vector<std::pair<std::string, std::string>>;
  using ProcessLanes = std::vector<std::pair<int64_t, int64_t>>;
  using Contexts = std::vector<std::tuple<uint32_t, std::string, std::string, std::string, uint32_t>>;
  nb::class_<Otf2Export>(m, "Otf2Export")
      .def(
          "__init__",
          [](Otf2Export* self, const std::vector<std::string>& files, const std::string& path, const Profile& profile,
             uint32_t loop, const Iterations& iterations, const Lanes& names, const ProcessLanes& given,
             const Contexts& contexts, std::vector<uint32_t> context_of_site) {
            interchange::otf2::Library library;
            if (const std::string why = interchange::otf2::load(files, &library); !why.empty())
              throw nb::import_error(printable(why).c_str());
            std::vector<Otf2Export::Lane> lanes;
            for (const auto& [name, host] : names) lanes.push_back({name, host});
            std::vector<Otf2Export::ProcessLane> process_lanes;
            for (const auto& [lane, world] : given) {
              if (lane < 0 || lane >= static_cast<int64_t>(lanes.size())) throw nb::value_error("lane out of range");
              process_lanes.push_back({lane, world});
            }
            if (process_lanes.size() != profile.processes().size())
              throw nb::value_error("expected one lane per process");
            Otf2Export::CallPaths paths{{}, std::move(context_of_site)};
            for (const auto& [parent, routine, full, file, line] : contexts) {
              paths.contexts.push_back({parent, routine, full, file, line});
            }
            new (self) Otf2Export(library, path, profile, loop, window_of(iterations), lanes, process_lanes, paths);
          },
          "files"_a, "path"_a, "profile"_a, "loop"_a, "iterations"_a.none(), "lanes"_a, "process_lanes"_a, "contexts"_a,
          "context_of_site"_a, nb::keep_alive<1, 4>())
      .def("scan", &Otf2Export::scan, "process"_a, "index"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("begin", &Otf2Export::begin)
      .def("write", &Otf2Export::write, "process"_a, "index"_a, "label"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("undescribed", &Otf2Export::undescribed)
      .def("finish", [](Otf2Export& self) {
        interchange::Exported sums;
        if (const std::string why = self.finish(&sums); !why.empty()) throw nb::value_error(printable(why).c_str());
        return told(sums);
      });
}

void bind_actions(nb::module_& m) {
  using interchange::Actions;
  using interchange::ActionSums;
  nb::class_<Actions>(m, "Actions")
      .def(
          "__init__",
          [](Actions* self, const Profile& profile, uint32_t loop, const Iterations& iterations) {
            new (self) Actions(profile, loop, window_of(iterations));
          },
          "profile"_a, "loop"_a, "iterations"_a.none(), nb::keep_alive<1, 2>())
      .def("scan", &Actions::scan, "process"_a, "index"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("settle", &Actions::settle)
      .def(
          "write_simgrid",
          [](Actions& self, const trace::Process& process, uint32_t index, const std::string& path) {
            check(interchange::write_simgrid(&self, process, index, path));
          },
          "process"_a, "index"_a, "path"_a)
      .def("sums", [](const Actions& self) {
        const ActionSums s = self.sums();
        nb::dict sums;
        sums["actions"] = s.actions;
        sums["messages"] = s.messages;
        sums["collectives"] = s.collectives;
        sums["unmatched"] = s.unmatched;
        sums["estimated"] = s.estimated;
        sums["parts"] = s.parts;
        sums["threads"] = s.threads;
        sums["untold"] = s.untold;
        return sums;
      });
}

void bind_goal(nb::module_& m) {
  using interchange::GoalExport;
  nb::class_<GoalExport>(m, "GoalExport")
      .def(
          "__init__",
          [](GoalExport* self, const std::string& path, interchange::Actions& actions, int32_t ranks,
             const std::string& comment) {
            if (ranks < 1) throw nb::value_error("no ranks to export");
            new (self) GoalExport(path, &actions, ranks, comment);
          },
          "path"_a, "actions"_a, "ranks"_a, "comment"_a = "", nb::keep_alive<1, 3>())
      .def("write", &GoalExport::write, "process"_a, "index"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("write_nothing", &GoalExport::write_nothing, "rank"_a)
      .def("finish", [](GoalExport& self) { check(self.finish()); });
}

void visit_rows(const Profile& profile, const trace::Process& process, uint32_t index, uint32_t loop,
                const Iterations& iterations, size_t most, const nb::callable& give) {
  const interchange::Exporting exporting(profile, loop, window_of(iterations));
  interchange::visit_rows(exporting, process, index, most, [&](interchange::CallRows&& rows) {
    nb::dict columns;
    columns["thread"] = column(std::move(rows.thread));
    columns["site"] = column(std::move(rows.site));
    columns["iteration"] = column(std::move(rows.iteration));
    columns["calls"] = column(std::move(rows.calls));
    columns["polls"] = column(std::move(rows.polls));
    columns["begin_s"] = column(std::move(rows.begin_s));
    columns["end_s"] = column(std::move(rows.end_s));
    columns["messages_sent"] = column(std::move(rows.messages_sent));
    columns["messages_received"] = column(std::move(rows.messages_received));
    columns["bytes_sent"] = column(std::move(rows.bytes_sent));
    columns["bytes_received"] = column(std::move(rows.bytes_received));
    columns["partner"] = column(std::move(rows.partner));
    columns["tag"] = column(std::move(rows.tag));
    columns["has_message"] = column(std::move(rows.has_message));
    give(columns);
  });
}

// Raises ImportError if no library can be loaded, ValueError if nothing can be read or written.
nb::dict import_otf2(const std::vector<std::string>& files, const std::string& anchor, const std::string& directory,
                     const std::string& module, const std::string& build, uint64_t bytes,
                     const std::optional<uint64_t>& series) {
  interchange::otf2::ReadingLibrary library;
  if (const std::string why = interchange::otf2::load(files, &library); !why.empty())
    throw nb::import_error(printable(why).c_str());
  interchange::importing::Imported found;
  {
    nb::gil_scoped_release released;
    found = interchange::importing::import_otf2(library,
                                                {anchor, directory, module, build, bytes, series.value_or(UINT64_MAX)});
  }
  if (!found.error.empty()) throw nb::value_error(printable(found.error).c_str());
  nb::dict missing;
  interchange::importing::for_each_missing(found.missing,
                                           [&](const char* name, uint64_t amount) { missing[name] = amount; });
  nb::list symbols, unreadable;
  for (const interchange::importing::Symbol& s : found.symbols) {
    symbols.append(nb::make_tuple(s.offset, printable(s.routine), printable(s.full), printable(s.file), s.line));
  }
  for (const std::string& why : found.unreadable) unreadable.append(printable(why));
  nb::dict result;
  result["creator"] = printable(found.creator);
  result["processes"] = found.processes;
  result["calls"] = found.calls;
  result["unreadable"] = unreadable;
  result["symbols"] = symbols;
  result["missing"] = missing;
  return result;
}

}  // namespace

void bind_interchange(nb::module_& m) {
  m.def("import_otf2", &import_otf2, "files"_a, "anchor"_a, "directory"_a, "module"_a, "build"_a, "bytes"_a,
        "series"_a.none());
  m.def("visit_rows", &visit_rows, "profile"_a, "process"_a, "index"_a, "loop"_a, "iterations"_a.none(), "most"_a,
        "give"_a);
  bind_goal(m);
  bind_actions(m);
  bind_otf2(m);
  bind_perfetto(m);
  m.def("site_sums", &site_sums, "profile"_a, "process"_a, "index"_a, "loop"_a = 0, "iterations"_a = nb::none());
}

}  // namespace leadline::bindings
