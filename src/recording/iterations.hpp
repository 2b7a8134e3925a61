// Goes through a log of entries and finds the iterations in it. This runs when the loop is found, and when the trace of
// a program that ended earlier is written. It changes nothing but the loop it is given.
#pragma once

#include "recording/loop_profile.hpp"

namespace leadline::recording {

// The iteration is over, if its beginning was seen. Returns its place among the slowest, or nullptr.
inline SlowIteration* end_timed_iteration(SeriesLoop* l, StripBucket* buckets, uint64_t ticks, uint64_t call,
                                          uint64_t iteration) {
  if (!l->running || ticks < l->begin_ticks) return nullptr;
  const uint64_t took = ticks - l->begin_ticks;
  ++l->timed;
  l->ticks += took;
  l->calls += call - l->begin_call;
  if (buckets) add_to_strip(l, buckets, iteration, took);
  return add_to_slowest(l, {iteration, took, l->begin_ticks, 0, 0, 0, 0});
}

// An iteration begins and ends the previous one.
inline SlowIteration* begin_timed_iteration(SeriesLoop* l, StripBucket* buckets, uint64_t ticks, uint64_t call) {
  const uint64_t now = l->iteration();
  SlowIteration* slow = now > 0 ? end_timed_iteration(l, buckets, ticks, call, now - 1) : nullptr;
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
  const SeriesLoop& slowest;  // the loop whose entries are searched for
  bool open = false;
  struct Span {
    uint64_t first = 0, end = 0;
  } slow[trace::most_slow] = {};

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
  Iterations(const SeriesState& state, const ThreadHeader& header, Positions positions, const FoldedTimes* folded,
             ThreadLoops* loops);

  // Looks for the loop in the log, and fills in everything that feed() does not.
  bool find(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop) const;
  // The number of entries that are the loop's anchor.
  uint64_t count(const SeriesEntry* entries, uint64_t n, const SeriesLoop& loop) const;
  // Counts and times iterations; `loop->occurrences` must be those before the window.
  void feed(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop, StripBucket* buckets,
            KeptWindows* kept) const;

 private:
  uint64_t visits(uint32_t position) const;
  uint32_t first_of(uint32_t position) const { return position < positions_.count ? first_of_[position] : 0; }
  // The crossings between the entries of a log, which are passed one after the other, and those before them.
  class Crossings {
   public:
    Crossings(const Iterations& of, uint32_t source) : of_(of), source_(source) {}
    Crossing next(const SeriesEntry& entry);

   private:
    const Iterations& of_;
    uint32_t source_;
    uint32_t before_ = 0;  // site of the entry before
    bool any_ = false;
  };
  Crossing crossing(uint32_t from, uint32_t to, uint32_t source) const;
  bool knows_paths() const;

  const SeriesState& state_;
  const ThreadHeader& header_;
  Positions positions_;
  const FoldedTimes* folded_;
  ThreadLoops* loops_;
  trace::Scratchpad<uint32_t> first_of_;
  // Of the loop at hand, by a hash of the two call sites.
  struct RecentCrossing {
    uint32_t from, to;
    Crossing crossing;
    bool known;
  };
  static constexpr uint32_t recent_crossings = 256;
  trace::Scratchpad<RecentCrossing> recent_;
  mutable uint32_t crossings_of_ = 0;
};

// The loop as it is when nothing was timed of it yet.
SeriesLoop source_loop(const LoopProfile& profile, ThreadLoops* loops, uint32_t source);

}  // namespace leadline::recording
