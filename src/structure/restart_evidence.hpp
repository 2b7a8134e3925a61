// After how many iterations an inner loop begins again: what its calls do, and when they are made.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/inner_rows.hpp"
#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// By what the calls do. `every`: 0: they show nothing. `sure`: something goes on from one iteration to the next, and
// falls back; otherwise they repeat, which an inner loop's iterations may do by themselves. `about`: something else
// changes from one of these to the next: steps may differ, or a step may have several.
struct Repeat {
  uint64_t every = 0;
  bool sure = false, about = false;
};
// A partner or root that goes round all ranks of its communicator is nothing sure: a step's number may do so by itself.
Repeat repeat_of(const LoopTree& tree, const InnerRows& rows, const std::vector<trace::Communicator>& communicators);

// What passed before the first call of an iteration of the inner loop, and with its calls.
struct IterationTime {
  uint64_t number = 0;  // in the whole run
  double before_ns = 0;
  double whole_ns = 0;  // -1: some call has no time
};
// Of the iterations whose times were kept, ascending. The slowest of all, which are kept as such, are left out.
std::vector<IterationTime> iteration_times(const trace::Stream& stream, uint32_t inner);

// Whether most time passes before the first of so many iterations, time after time. It also may pass in this one: other
// ranks compute, and this one waits for them.
bool begins_late(const std::vector<IterationTime>& times, uint64_t every);
// The same of iterations that are all alike, in rows that are multiples of `divisor`: after how many nearly all
// computation comes; 0: unknown.
uint64_t computes_every(const std::vector<IterationTime>& times, uint64_t divisor);

}  // namespace leadline::structure
