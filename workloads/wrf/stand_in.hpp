// Sleeps instead of computing, as long as the computation of a slower machine would take: then more ranks than cores
// do not wait for each other's computation. The exchanges are the same, of a state that stays as it was.
#pragma once

#include "atmosphere.hpp"

namespace wrf {

// What is computed between two exchanges, of which a step has 3 each, of push and rise 7.
enum class Part { diagnosis, laplacians, tendencies, begin, push, rise, end, tracers };

// The part's share of a step.
double share_of(Part part);

void rest(const Atmosphere& atmosphere, Part part);

template <typename Work>
void computed(const Atmosphere& atmosphere, Part part, Work work) {
  if (atmosphere.settings.sleep_ns > 0) {
    rest(atmosphere, part);
  } else {
    work();
  }
}

}  // namespace wrf
