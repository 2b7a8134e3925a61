// A loop tree whose leaves, the calls, have times: how long the thread computed before each, and how long each took.
//
// The trace keeps the times of a call by its place in the graphs, of which equal calls may have several, and those of
// calls without a place by their site. A leaf's times are those of all its places; calls without a place share what
// their site has left. The sum over all leaves is thus the sum over all calls. calls/leaf_calls.hpp gives the times of
// single calls where they were kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

inline constexpr std::array<double, 3> low_parts{0.1, 0.25, 0.5};

struct LeafTimes {
  uint64_t calls = 0;                     // that the leaf stands for, in the whole run
  uint64_t shared = 0;                    // of these, calls whose times are known for their site only
  double duration_ns = 0, before_ns = 0;  // means; `before`: since the end of the thread's call before
  double shared_before_ns = 0;            // the same of the calls that are `shared`
  double least_ns = 0, most_ns = 0;       // durations
  // Durations that low_parts of the calls do not exceed.
  std::array<double, low_parts.size()> low_ns{};
  // Standard deviation of the durations. The trace counts these by powers of two, within which they are taken to be
  // spread evenly.
  double deviation_ns = 0;

  bool operator==(const LeafTimes&) const = default;
  double total_ns() const { return duration_ns * static_cast<double>(calls); }
  double total_before_ns() const { return before_ns * static_cast<double>(calls); }
};

struct TimedTree {
  LoopTree tree;
  std::vector<LeafTimes> times;  // by the call's number in the tree
};

TimedTree timed_tree(const trace::Stream& stream);

}  // namespace leadline::structure
