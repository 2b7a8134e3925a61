// Builds the loop tree of a thread's calls from its trace.
#pragma once

#include <cstdint>
#include <functional>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

// If the program is regular, the tree's size and the time to build it grow with the trace, not with the number of
// calls.
LoopTree loop_tree(const trace::Stream& stream);

// The same, and which of its calls each place of the trace's graphs is, whose times are the place's. `call`: its
// number; `no_call`: the place is that of several calls of the site. Places of generations whose order is unknown are
// left out.
inline constexpr uint32_t no_call = UINT32_MAX;
using EachPlace = std::function<void(uint32_t call, const trace::DecodedPosition& place)>;
LoopTree loop_tree(const trace::Stream& stream, const EachPlace& each);

}  // namespace leadline::structure
