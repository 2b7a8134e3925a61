// When a thread's call sites are reached: before its main loop, after it, and in which of its iterations.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// Stretches of iterations: the first, and how many; ascending, none touches the next.
using Stretches = std::vector<std::pair<uint64_t, uint64_t>>;

struct SiteOccurrences {
  uint64_t before = 0, after = 0;  // calls
  Stretches iterations;
};

struct ThreadOccurrences {
  std::vector<SiteOccurrences> sites;  // by number in the stream
  uint64_t iterations = 0;             // of the main loop, all its instances together
  bool complete = true;  // false: too many changes from one iteration to the next; the first ones are here
};

// `main`: the loop's number in the stream, 0 if the thread does not go through it. Then all calls are before it.
ThreadOccurrences occurrences_of(const structure::LoopTree& tree, const trace::Stream& stream, uint32_t main);

}  // namespace leadline::analysis
