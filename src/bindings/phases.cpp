// The phases of a run.
#include "analysis/phases/phases.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

void bind_phases(nb::module_& m) {
  using analysis::Phase;
  using analysis::PhaseFinder;
  using analysis::PhaseTime;
  using analysis::RunPhases;
  nb::class_<PhaseTime>(m, "PhaseTime")
      .def_ro("computation", &PhaseTime::computation)
      .def_ro("mpi", &PhaseTime::mpi)
      .def_ro("io", &PhaseTime::io)
      .def_ro("startup", &PhaseTime::startup);
  nb::class_<Phase>(m, "Phase")
      .def_prop_ro("kind",
                   [](const Phase& p) {
                     constexpr const char* names[] = {"init", "loop", "recurring", "inner", "final"};
                     return names[static_cast<size_t>(p.kind)];
                   })
      .def_ro("loop", &Phase::loop)
      .def_ro("sites", &Phase::sites)
      .def_ro("share", &Phase::share)
      .def_ro("writes", &Phase::writes)
      .def_ro("region", &Phase::region)
      .def_ro("iterations", &Phase::iterations)
      .def_ro("every", &Phase::every)
      .def_ro("inner_iterations", &Phase::inner_iterations)
      .def_ro("times", &Phase::times);
  nb::class_<RunPhases>(m, "RunPhases")
      .def_ro("phases", &RunPhases::phases)
      .def_ro("iterations", &RunPhases::iterations)
      .def_ro("recurring_known", &RunPhases::recurring_known);
  nb::class_<PhaseFinder>(m, "PhaseFinder")
      .def("add", &PhaseFinder::add, nb::arg("process"), nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("find", &PhaseFinder::find, nb::arg("paths"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace leadline::bindings
