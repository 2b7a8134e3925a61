// The times of a thread's single calls, by the leaf of its tree, or of its class's tree, that each is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "calls/thread_calls.hpp"
#include "trace/process.hpp"

namespace leadline::calls {

// Goes through all calls of the tree, which must be that of the stream, up to the first whose order is lost. `leaf`:
// the number of the call in the tree.   `loop`: whose iterations are counted, if any.
using EachLeafCall = std::function<void(uint32_t leaf, ThreadCalls& call)>;
void for_each_leaf_call(const trace::Process& process, size_t stream, const Leaves& leaves,
                        const trace::LoopTimes* loop, const EachLeafCall& each);

// What is known of a leaf's calls one by one, in their order. Calls whose times were not kept are missing.
struct LeafSeries {
  struct Value {
    uint64_t call = 0;  // its number among the leaf's calls, from 0
    double before_ns = 0, duration_ns = 0;
  };
  std::vector<Value> values;
  uint64_t calls = 0;   // of the leaf, those without times among them
  uint64_t polled = 0;  // calls that are left out, as failed polls went before them: not all was computation

  double before_mean_ns() const;       // of the values; 0: there is none
  double before_deviation_ns() const;  // standard deviation
};

// By number in the tree; those of other threads of the class are empty.
std::vector<LeafSeries> leaf_series(const trace::Process& process, size_t stream, const Leaves& leaves);

}  // namespace leadline::calls
