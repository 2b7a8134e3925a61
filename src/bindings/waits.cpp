// The wait states of a run.
#include "analysis/waits/waits.hpp"
#include "analysis/matching/message_times.hpp"
#include "analysis/waits/iteration_waits.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

void bind_waits(nb::module_& m) {
  using analysis::Imbalance;
  using analysis::PathRow;
  using analysis::RunWaits;
  using analysis::WaitCause;
  using analysis::WaitFinder;
  using analysis::WaitRow;
  nb::class_<WaitCause>(m, "WaitCause")
      .def_ro("process", &WaitCause::process)
      .def_ro("site", &WaitCause::site)
      .def_prop_ro("doing", [](const WaitCause& c) { return analysis::name_of(c.doing); })
      .def_ro("share", &WaitCause::share);
  nb::class_<WaitRow>(m, "WaitRow")
      .def_prop_ro("kind", [](const WaitRow& r) { return analysis::name_of(r.kind); })
      .def_ro("site", &WaitRow::site)
      .def_ro("process", &WaitRow::process)
      .def_ro("ns", &WaitRow::ns)
      .def_ro("error_ns", &WaitRow::error_ns)
      .def_ro("causes", &WaitRow::causes);
  nb::class_<PathRow>(m, "PathRow")
      .def_ro("process", &PathRow::process)
      .def_ro("site", &PathRow::site)
      .def_prop_ro("doing", [](const PathRow& r) { return analysis::name_of(r.doing); })
      .def_ro("share", &PathRow::share);
  nb::class_<Imbalance>(m, "Imbalance")
      .def_ro("found", &Imbalance::found)
      .def_ro("computation_ns", &Imbalance::computation_ns)
      .def_ro("lost_ns", &Imbalance::lost_ns)
      .def_ro("fixed_ns", &Imbalance::fixed_ns)
      .def_ro("wandering_ns", &Imbalance::wandering_ns)
      .def_ro("changing_ns", &Imbalance::changing_ns)
      .def_ro("noise_ns", &Imbalance::noise_ns)
      .def_ro("rare_ns", &Imbalance::rare_ns)
      .def_ro("rare_steps", &Imbalance::rare_steps)
      .def_ro("rare_period", &Imbalance::rare_period)
      .def_ro("between_hosts", &Imbalance::between_hosts)
      .def_ro("slowest", &Imbalance::slowest);
  nb::class_<RunWaits>(m, "RunWaits")
      .def_ro("found", &RunWaits::found)
      .def_ro("estimated", &RunWaits::estimated)
      .def_ro("iterations", &RunWaits::iterations)
      .def_ro("unseen", &RunWaits::unseen)
      .def_ro("rows", &RunWaits::rows)
      .def_ro("path", &RunWaits::path)
      .def_ro("path_steps", &RunWaits::path_steps)
      .def_ro("imbalance", &RunWaits::imbalance)
      .def_prop_ro("calls", [](const RunWaits& w) { return w.calls; });
  nb::class_<analysis::CallWaits>(m, "CallWaits");
  using analysis::IterationWaitFinder;
  using analysis::IterationWaits;
  using analysis::PathStretch;
  nb::class_<PathStretch>(m, "PathStretch")
      .def_ro("process", &PathStretch::process)
      .def_ro("site", &PathStretch::site)
      .def_prop_ro("doing", [](const PathStretch& s) { return analysis::name_of(s.doing); })
      .def_ro("begin_ns", &PathStretch::begin_ns)
      .def_ro("end_ns", &PathStretch::end_ns);
  nb::class_<IterationWaits>(m, "IterationWaits")
      .def_prop_ro("calls", [](const IterationWaits& w) { return w.calls; })
      .def_ro("paths", &IterationWaits::paths);
  nb::class_<IterationWaitFinder>(m, "IterationWaitFinder")
      .def("add", &IterationWaitFinder::add, nb::arg("process"), nb::arg("index"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("find", &IterationWaitFinder::find, nb::call_guard<nb::gil_scoped_release>());
  using analysis::MessageTime;
  using analysis::MessageTimes;
  nb::class_<MessageTime>(m, "MessageTime")
      .def_ro("bytes", &MessageTime::bytes)
      .def_ro("within_host", &MessageTime::within_host)
      .def_ro("sender", &MessageTime::from)
      .def_ro("receiver", &MessageTime::to)
      .def_ro("send_site", &MessageTime::send_site)
      .def_ro("done_site", &MessageTime::done_site)
      .def_ro("done", &MessageTime::done)
      .def_ro("send_begin_ns", &MessageTime::send_begin_ns)
      .def_ro("send_end_ns", &MessageTime::send_end_ns)
      .def_ro("sent_begin_ns", &MessageTime::sent_begin_ns)
      .def_ro("sent_end_ns", &MessageTime::sent_end_ns)
      .def_ro("posted_ns", &MessageTime::posted_ns)
      .def_ro("done_begin_ns", &MessageTime::done_begin_ns)
      .def_ro("done_end_ns", &MessageTime::done_end_ns);
  nb::class_<MessageTimes>(m, "MessageTimes")
      .def(nb::init<const analysis::Profile&, uint64_t>(), nb::arg("profile"), nb::arg("most"), nb::keep_alive<1, 2>())
      .def_prop_ro("wanted", &MessageTimes::wanted)
      .def("add", &MessageTimes::add, nb::arg("process"), nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("find", &MessageTimes::find, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<WaitFinder>(m, "WaitFinder")
      .def("add", &WaitFinder::add, nb::arg("process"), nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("find", &WaitFinder::find, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace leadline::bindings
