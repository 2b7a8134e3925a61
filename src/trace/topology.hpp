// Virtual topologies of communicators; numbers as in the trace.
#pragma once

#include <cstdint>

namespace leadline::trace {

enum class Topology : uint8_t { none, cartesian, graph, distributed_graph };

// The most dimensions of a Cartesian one whose sides are recorded.
inline constexpr uint32_t most_grid_dims = 16;

}  // namespace leadline::trace
