// leadline._core: the C++ core as Python sees it. No logic here; python/leadline/_core.pyi describes every name.
#include <malloc.h>
#include <nanobind/nanobind.h>

#include "analysis/demangle.hpp"
#include "bindings/bindings.hpp"
#include "bindings/text.hpp"
#include "trace/reading/lost_generations.hpp"

namespace nb = nanobind;

namespace {

// With the C library's usual settings, each thread that reads traces has a heap of its own, and what it frees there
// serves nobody else.
void share_one_heap() {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 1);
#endif
}

// The C library keeps what was freed between pieces that are in use, as far as it is not the heap's end.
void give_back_freed_memory() {
#ifdef M_ARENA_MAX
  malloc_trim(0);
#endif
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Leadline's C++ core.";
  nb::exception<leadline::bindings::TraceError>(m, "TraceError");
  leadline::bindings::bind_trace(m);
  leadline::bindings::bind_classes(m);
  leadline::bindings::bind_iterations(m);
  leadline::bindings::bind_profile(m);
  leadline::bindings::bind_patterns(m);
  leadline::bindings::bind_waits(m);
  leadline::bindings::bind_phases(m);
  leadline::bindings::bind_columns(m);
  leadline::bindings::bind_timeline(m);
  leadline::bindings::bind_network(m);
  leadline::bindings::bind_replay(m);
  leadline::bindings::bind_growing(m);
  leadline::bindings::bind_predicted(m);
  leadline::bindings::bind_collectives(m);
  leadline::bindings::bind_interchange(m);
  m.def("share_one_heap", &share_one_heap);
  m.def("give_back_freed_memory", &give_back_freed_memory);
  m.def("lost_generations", &leadline::trace::lost_generations);
  m.def("demangle_short", &leadline::analysis::demangle_short, nb::arg("name"));
}
