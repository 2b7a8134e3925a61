// How often each loop of the source repeated and was entered, and how much time it spent there. The program's
// main loop is chosen from these figures.
#pragma once

#include "recording/loop_finder.hpp"
#include "recording/source_loops.hpp"
#include "trace/main_loop.hpp"

namespace leadline::recording {

// The effect on a loop of going from one call to the next.
// An iteration begins; the loop was left; a loop further out repeated.
enum class Crossing : uint8_t { none, begins, ends, passes };

// A thread's tables that are needed to find loops.
struct ThreadLoops {
  Transitions transitions;
  SourceLoops source;
  bool reading = false;

  void attach(ThreadHeader* header, char* region, Backing backing, const CodePlaces& places);

  // For memory that must not be changed: transitions without a loop do not get one.
  void attach_to_read(const char* region);

  // The loop that repeated on the way.
  uint32_t repeated(uint32_t number) {
    Transition& t = transitions[number];
    if (t.state != Transition::classified) {
      if (reading) return 0;
      t.repeats = source.repeated(t.from, t.to);
      t.state = Transition::classified;
    }
    return t.repeats;
  }
  Crossing crossing(uint32_t number, uint32_t loop);
  Crossing look_at_crossing(uint32_t number, uint32_t loop);
};

class LoopProfile {
 public:
  // `now`: the transition that is about to be counted.
  LoopProfile(const ThreadHeader& header, const char* region, ThreadLoops* loops, uint32_t now = 0);
  explicit operator bool() const { return weights_ && times_; }
  const trace::LoopWeight& operator[](uint32_t loop) const { return weights_[loop]; }
  uint32_t count() const { return loops_->source.count(); }
  // The number of times control went this way.
  uint64_t times(uint32_t transition) const { return times_[transition]; }
  // The outermost loop that covers most of the time; 0: no loop has enough iterations.
  uint32_t main() const;
  // The loops that would qualify if no other candidate were around them, the main one first, and those within them that
  // make the steps. Returns their number.
  uint32_t outermost(uint32_t* into, uint32_t room) const;

 private:
  bool may_be_chosen_within(uint32_t loop) const;
  void count_transitions(const ThreadHeader& header, const char* region, uint32_t now);
  void weigh(uint32_t from, uint32_t to, uint32_t repeats, uint64_t times);
  void add_time(uint32_t site, uint64_t ns, uint64_t calls, const SeriesState& series, const LiveSite* sites,
                uint64_t site_count);

  ThreadLoops* loops_;
  trace::Scratchpad<trace::LoopWeight> weights_;
  trace::Scratchpad<uint64_t> times_;
  trace::LoopWeight all_{};
};

// The transitions that positions imply: the walk went from each position to its next one as often as the position was
// visited, except when it went elsewhere.
template <class Visit>
void for_each_walked(const ThreadHeader& header, const char* region, Visit visit) {
  const auto* positions = reinterpret_cast<const Position*>(region + thread_at::positions);
  const auto* folded = reinterpret_cast<const FoldedTimes*>(region + thread_at::folded);
  const auto* left = reinterpret_cast<const int64_t*>(region + thread_at::amounts);
  const uint64_t count = header.positions.used < capacity::positions ? header.positions.used : capacity::positions;
  for (uint32_t i = trace::first_position; i < count; ++i) {
    const Position& p = positions[i];
    const bool walked = p.mode <= trace::mode_max_strikes || p.mode >= trace::mode_first_wild;
    if (!walked || !p.next || p.next >= count) continue;
    const uint64_t visits = visits_of(p, i, folded[i]);
    const uint64_t elsewhere = static_cast<uint64_t>(left[i]) + (i == header.graph.current ? 1 : 0);
    if (visits > elsewhere) visit(p.key.site, positions[p.next].key.site, visits - elsewhere);
  }
}

}  // namespace leadline::recording
