// The parts of leadline._core, one file each.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "bindings/text.hpp"  // in every part, so that strings are converted in one way

namespace leadline::bindings {

// A trace that cannot be read: Python sees it as leadline._core.TraceError.
struct TraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The directions of data (trace::moves) in words.
nanobind::tuple names_of_moves(uint8_t moves);

void bind_trace(nanobind::module_& m);
void bind_classes(nanobind::module_& m);
void bind_profile(nanobind::module_& m);
void bind_columns(nanobind::module_& m);
void bind_iterations(nanobind::module_& m);
void bind_timeline(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_replay(nanobind::module_& m);
void bind_growing(nanobind::module_& m);
void bind_predicted(nanobind::module_& m);
void bind_collectives(nanobind::module_& m);
void bind_patterns(nanobind::module_& m);
void bind_waits(nanobind::module_& m);
void bind_phases(nanobind::module_& m);
void bind_interchange(nanobind::module_& m);

}  // namespace leadline::bindings
