// The virtual topology of a communicator, as the library describes it.
#pragma once

#include <cstdint>

#include "trace/topology.hpp"

namespace leadline::recorder {

struct Topology {
  trace::Topology kind = trace::Topology::none;
  uint8_t dims = 0;  // of a Cartesian one; 0: not known
  // Ranks along each dimension, the slowest first; negative: its ends are neighbours.
  int32_t sides[trace::most_grid_dims] = {};
};

// Asks with local calls only.
Topology topology_of(uint64_t comm);

}  // namespace leadline::recorder
