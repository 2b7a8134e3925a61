// The shapes of the loops of many threads. Threads that went the same way through the same loops, as the ranks of a
// program mostly do, share one tree.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "structure/gap_shares.hpp"
#include "structure/loop_shapes.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// A hash of 128 bits of what a thread's loop tree is derived from.
using TreeSource = std::pair<uint64_t, uint64_t>;
TreeSource source_of_tree(const trace::Stream& stream);

struct ThreadShape {
  std::vector<LoopShape> loops;  // by number in the stream; empty if it has none
  std::vector<FirstCalls> first_calls;
  uint64_t lost_calls = 0;  // calls whose order is lost: no loop is known to have made them
};

class ShapePool {
 public:
  // Valid as long as the pool. `kinds`, `cut`: see loop_shapes().
  const ThreadShape& of(const trace::Stream& stream, const SiteKinds& kinds = {}, bool cut = false);
  // The number of different trees so far.
  size_t trees() const { return shapes_.size(); }

 private:
  std::map<TreeSource, ThreadShape> shapes_;
};

}  // namespace leadline::structure
