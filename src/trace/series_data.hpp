// The series of a generation as the reader holds it (recording/series_state.hpp says how it is recorded).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/series_kind.hpp"

namespace leadline::trace {

// Times in ns; begins since the process's start.
struct StripTimes {
  uint64_t first = 0, count = 0;  // the bucket's iterations begin with `first`; `count` of them were timed
  double mean_ns = 0, min_ns = 0, max_ns = 0;
  uint64_t max_iteration = 0;
};

struct SlowTime {
  uint64_t iteration = 0;
  double time_ns = 0, begin_ns = 0;
  double longest_gap_ns = 0;  // longest uninterrupted computation
  uint32_t gap_position = 0;  // the call it came before; poll_position: a failed poll
};

struct LoopTimes {
  uint32_t source = 0;                 // number of the source loop; 0: the anchor delimits its iterations
  std::vector<uint64_t> begins, ends;  // ways into an iteration and out of the loop: sites, from << 32 | to
  uint32_t position = 0;               // position of the anchor: the call made once in every iteration
  bool after = false;                  // an iteration ends with the anchor; otherwise it begins with it
  uint64_t anchors = 1;                // occurrences of the anchor in one iteration
  uint64_t at_once = 1;                // iterations of a source loop that were timed together
  uint64_t stride = 0, width = 0;
  uint64_t first_call = 0;                // first call of iteration 0
  uint64_t skipped = 0, occurrences = 0;  // occurrences of the anchor before the loop, and in total
  uint64_t timed = 0, calls = 0;          // iterations timed, and the calls in them
  double time_ns = 0;                     // their total time
  uint64_t bucket_size = 1;
  std::vector<StripTimes> strip;
  std::vector<SlowTime> slow;

  // Iterations that began (the loop ends with the last one, which may be untimed).
  uint64_t iterations() const {
    const uint64_t n = occurrences > skipped ? occurrences - skipped : 0;
    return anchors > 1 ? (n + anchors - 1) / anchors : n;
  }
};

struct WindowTimes {
  SeriesKind kind = SeriesKind::whole;
  uint32_t loop = 0;
  uint64_t first_call = 0;  // calls of the generation before it, a run of failed polls as one
  uint64_t iteration = 0;   // its first iteration; for a whole one: occurrences of the anchor before it
  uint64_t entries = 0;
  double begin_ns = 0, end_ns = 0;
};

struct Series {
  uint32_t generation = 0;  // number
  double ns_per_tick = 1;
  uint64_t tolerance = UINT64_MAX;  // ticks
  std::vector<LoopTimes> loops;
  std::vector<WindowTimes> windows;
  std::vector<uint8_t> data;
  bool polled = false;  // a bit before each call says whether failed polls are part of its gap
};

}  // namespace leadline::trace
