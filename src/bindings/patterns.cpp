// The patterns of a run.
#include "analysis/patterns/patterns.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

void bind_patterns(nb::module_& m) {
  using analysis::Pattern;
  using analysis::PatternFinder;
  nb::class_<Pattern>(m, "Pattern")
      .def_ro("name", &Pattern::name)
      .def_ro("sites", &Pattern::sites)
      .def_ro("files", &Pattern::files)
      .def_ro("in_main_loop", &Pattern::in_main_loop)
      .def_ro("ranks", &Pattern::ranks)
      .def_ro("messages", &Pattern::messages)
      .def_ro("bytes", &Pattern::bytes)
      .def_ro("time_ns", &Pattern::time_ns)
      .def_ro("evidence", &Pattern::evidence);
  nb::class_<PatternFinder>(m, "PatternFinder")
      .def("add", &PatternFinder::add, nb::arg("process"), nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "find",
          [](PatternFinder& f, analysis::RoutinePaths paths, std::vector<uint32_t> lines) {
            return f.find({std::move(paths), std::move(lines)});
          },
          nb::arg("paths"), nb::arg("lines"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace leadline::bindings
