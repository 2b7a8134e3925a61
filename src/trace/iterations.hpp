// Goes through a log of entries and finds the iterations in it: what is done when the loop is found, and when a trace
// is written of a program that ended before. Reads only, but for the loop it is given.
#pragma once

#include "trace/loop_finder.hpp"

namespace leadline::trace {

// An iteration begins: the one before is over, if its begin was seen.
// Returns its place among the slowest, or nullptr.
inline SlowIteration* begin_timed_iteration(SeriesLoop* l, StripBucket* buckets, uint64_t ticks, uint64_t call) {
  const uint64_t now = l->iteration();
  SlowIteration* slow = nullptr;
  if (l->running && now > 0 && ticks >= l->begin_ticks) {
    const uint64_t took = ticks - l->begin_ticks;
    ++l->timed;
    l->ticks += took;
    l->calls += call - l->begin_call;
    if (buckets) add_to_strip(l, buckets, now - 1, took);
    slow = add_to_slowest(l, {now - 1, took, l->begin_ticks, 0, 0, 0, 0});
  }
  l->running = 1;
  l->begin_ticks = ticks;
  l->begin_call = call;
  return slow;
}

inline constexpr uint32_t most_kept_windows = capacity::series_windows / 2;

// Windows of a log that holds everything: every `stride` iterations `width` of them.
struct KeptWindows {
  SeriesWindow* windows;
  uint32_t count;
  SeriesWindow whole;
  uint64_t most_before;  // entries before the loop that may stay
  uint32_t loop;
  const SeriesLoop& slowest;  // whose entries are to be found
  bool open = false;
  struct Span {
    uint64_t first = 0, end = 0;
  } slow[most_slow] = {};

  void boundary(const SeriesLoop& l, uint64_t entry, uint64_t ticks);
  void end() {
    if (open) windows[count - 1].entries = whole.first_entry + whole.entries - windows[count - 1].first_entry;
  }
};

class Iterations {
 public:
  struct Positions {
    const Position* data;
    uint64_t count;
  };
  Iterations(const SeriesState& state, const ThreadHeader& header, Positions positions, const FoldedTimes* folded);

  // Looks for the loop in the log, and fills in all but what feed() does.
  bool find(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop) const;
  // How often the loop's anchor is among the entries.
  uint64_t count(const SeriesEntry* entries, uint64_t n, const SeriesLoop& loop) const;
  // Counts and times iterations; `loop->occurrences` must be those before the window.
  void feed(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop, StripBucket* buckets,
            KeptWindows* kept) const;

 private:
  uint64_t visits(uint32_t position) const;
  uint32_t first_of(uint32_t position) const { return position < positions_.count ? first_of_[position] : 0; }

  const SeriesState& state_;
  const ThreadHeader& header_;
  Positions positions_;
  const FoldedTimes* folded_;
  Scratchpad<uint32_t> first_of_;
};

}  // namespace leadline::trace
