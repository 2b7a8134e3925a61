// Polls that failed, beside the graph of events.
//
// The number of failed polls is a matter of timing: it would hide the order of the program's calls. So a failed poll is
// not an event. It is counted and timed by its call site, and the failed polls between two events, whatever calls they
// were, are one run. The places of runs and their numbers of polls form a sequence with its own graph to predict it:
// (events since the previous run, order of magnitude). It holds magnitudes rather than numbers, since magnitudes
// repeat. A run that cannot be predicted takes two or three bytes, so the sequence has a bound: beyond it runs are kept
// without their places, and nothing else is lost.
#pragma once

#include "recording/live.hpp"

namespace leadline::recording {

class Polls {
 public:
  void attach(ThreadHeader* header, char* region, Backing backing, uint64_t* order_lost);
  // Begins an empty generation.
  void reset();
  void set_scale(TickScale scale) { scale_ = scale; }

  // Counts a poll of the site. Returns the number of the site among those that polled.
  inline uint32_t count(uint32_t site, uint64_t duration, uint64_t gap) {
    uint32_t number = recent_[site & (recent_sites - 1)];
    if (__builtin_expect(!number || sites_[number - 1].site != site, 0)) number = find(site);
    if (__builtin_expect(!number, 0)) return 0;
    PollSite& p = sites_[--number];
    if (__builtin_expect((duration | gap) >> 32 != 0, 0)) {
      fold_one(&p.folded, scale_.ns(duration), scale_.ns(gap));
      return number;
    }
    const uint32_t slot = p.visits++ & 7;
    p.raw.duration[slot] = static_cast<uint32_t>(duration);
    p.raw.gap[slot] = static_cast<uint32_t>(gap);
    if (slot == 7) fold(&p.folded, p.raw, 0, 8, scale_);
    return number;
  }

  // The run under way is over: an event follows. `room`: bytes that places may take. True: the run has its place.
  bool end_run(uint64_t room);
  bool nearly_full() const { return graph_.nearly_full(); }

 private:
  static constexpr uint32_t recent_sites = 16;

  uint32_t find(uint32_t site);
  uint64_t bytes() const;

  ThreadHeader* h_ = nullptr;
  Table<PollSite> sites_;
  PollGraph graph_;
  PositionMap map_;
  TickScale scale_;
  uint64_t* order_lost_ = nullptr;
  uint64_t lost_ = 0;                   // what the graph had no storage for: no place from then on
  uint32_t recent_[recent_sites] = {};  // number of the site + 1
};

}  // namespace leadline::recording
