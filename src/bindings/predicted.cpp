// Predictions as runs.
#include "interchange/predicted/predicted_run.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>

#include "analysis/profile.hpp"
#include "bindings/bindings.hpp"
#include "bindings/replayed_tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using interchange::predicted::PredictedRun;
using interchange::predicted::Written;

// Raises ValueError if ranks wait for each other.
std::unique_ptr<PredictedRun> replayed(const Changed& tree, const replay::Settings& settings) {
  std::unique_ptr<PredictedRun> made;
  {
    nb::gil_scoped_release released;
    made = std::make_unique<PredictedRun>(tree.of, tree.tree, settings);
  }
  if (!made->outcome().stuck.empty()) throw nb::value_error("the ranks wait for each other");
  return made;
}

// Returns the calls that were written, and those that were left out. Raises OSError if the file cannot be written.
nb::tuple write(PredictedRun& self, const analysis::Profile& profile, const trace::Process& process, uint32_t index,
                uint32_t rank, const std::string& path, const std::string& host, uint64_t clock) {
  const analysis::ProcessSummary& own = profile.processes().at(index);
  Written written;
  {
    nb::gil_scoped_release released;
    written = self.write({rank, path, host, clock}, process, {own.site_numbers[0], own.loop_numbers[0]});
  }
  if (!written.error.empty()) {
    PyErr_SetString(PyExc_OSError, written.error.c_str());
    throw nb::python_error();
  }
  return nb::make_tuple(written.calls, written.left_out);
}

}  // namespace

void bind_predicted(nb::module_& m) {
  m.attr("MOST_PREDICTED_CALLS") = interchange::predicted::most_calls;
  m.def(
      "predicted_calls",
      [](const Changed& tree, const replay::Settings& settings) {
        return interchange::predicted::calls_of(tree.tree, settings);
      },
      "tree"_a, "settings"_a);
  nb::class_<PredictedRun>(m, "PredictedRun")
      .def_prop_ro("end_s",
                   [](const PredictedRun& self) { return static_cast<double>(self.outcome().whole_ps()) * 1e-12; })
      .def("write", &write, "profile"_a, "process"_a, "index"_a, "rank"_a, "path"_a, "host"_a, "clock"_a);
  m.def("predicted_run", &replayed, "tree"_a, "settings"_a, nb::keep_alive<0, 1>());
}

}  // namespace leadline::bindings
