// How often each loop of the source was gone round and entered, and how much of the time was spent in it: what the
// program's main loop is chosen by.
#pragma once

#include "trace/loop_finder.hpp"
#include "trace/source_loops.hpp"

namespace leadline::trace {

// What control did to a loop between two calls.
// An iteration begins; the loop was left; control went round one further out.
enum class Crossing : uint8_t { none, begins, ends, passes };

struct LoopWeight {
  uint64_t rounds, entries, calls;
  double ns;
  bool has_mpi;  // calls of libc on files alone make no main loop
  uint64_t trips() const { return rounds + entries; }
};

inline constexpr uint64_t least_trips_of_main_loop = 3;

// The tables of a thread that loops are found with.
struct ThreadLoops {
  Transitions transitions;
  SourceLoops source;
  bool reading = false;

  void attach(ThreadHeader* header, char* region, Backing backing, const CodePlaces& places);

  // Of memory that must not be changed: what has no loop yet finds none.
  void attach_to_read(const char* region);

  // The loop that control went round on the way.
  uint32_t round(uint32_t number) {
    Transition& t = transitions[number];
    if (t.state != Transition::classified) {
      if (reading) return 0;
      t.round = source.round(t.from, t.to);
      t.state = Transition::classified;
    }
    return t.round;
  }
  Crossing crossing(uint32_t number, uint32_t loop);
  Crossing look_at_crossing(uint32_t number, uint32_t loop);
};

class LoopProfile {
 public:
  // `now`: the transition that is about to be counted.
  LoopProfile(const ThreadHeader& header, const char* region, ThreadLoops* loops, uint32_t now = 0);
  explicit operator bool() const { return weights_ && times_; }
  const LoopWeight& operator[](uint32_t loop) const { return weights_[loop]; }
  uint32_t count() const { return loops_->source.count(); }
  // Times that control went this way.
  uint64_t times(uint32_t transition) const { return times_[transition]; }
  // The outermost loop that covers most of the time; 0: there is none with enough trips.
  uint32_t main() const;
  // Those that could be it, if another were not around them. Returns how many.
  uint32_t outermost(uint32_t* into, uint32_t room) const;

 private:
  void count_transitions(const ThreadHeader& header, const char* region, uint32_t now);
  void weigh(uint32_t from, uint32_t to, uint32_t round, uint64_t times);
  void add_time(uint32_t site, uint64_t ns, uint64_t calls, const SeriesState& series, const LiveSite* sites,
                uint64_t site_count);

  ThreadLoops* loops_;
  Scratchpad<LoopWeight> weights_;
  Scratchpad<uint64_t> times_;
  LoopWeight all_{};
};

// What positions tell of transitions: the walk went from each to its next one as often as it was visited, but for the
// times it went elsewhere.
template <class Visit>
void for_each_walked(const ThreadHeader& header, const char* region, Visit visit) {
  const auto* positions = reinterpret_cast<const Position*>(region + thread_at::positions);
  const auto* folded = reinterpret_cast<const FoldedTimes*>(region + thread_at::folded);
  const auto* left = reinterpret_cast<const int64_t*>(region + thread_at::amounts);
  const uint64_t count = header.positions.used < capacity::positions ? header.positions.used : capacity::positions;
  for (uint32_t i = first_position; i < count; ++i) {
    const Position& p = positions[i];
    const bool walked = p.mode <= mode_max_strikes || p.mode >= mode_first_wild;
    if (!walked || !p.next || p.next >= count) continue;
    const uint64_t visits = visits_of(p, i, folded[i]);
    const uint64_t elsewhere = static_cast<uint64_t>(left[i]) + (i == header.graph.current ? 1 : 0);
    if (visits > elsewhere) visit(p.key.site, positions[p.next].key.site, visits - elsewhere);
  }
}

// The outermost loop that most of the run is spent in, 0: none. `all`: of the whole run; `outer(a)`: the next loop
// around a; `within(a, b)`: loop a lies in loop b; `same_code(a, b)`: they are one loop of the source in two calling
// contexts. Shared by the recorder, which chooses whose iterations to time, and the reader, which has seen the whole
// run.
//
// By time, and half as much by calls: in a short run what comes first, when connections are made, may take longer than
// everything else, and so may whatever the machine holds up. A loop that is also part of another one's iterations is
// not the step, however long it took elsewhere: programs warm up before they time themselves.
template <class Weights, class Outer, class Within, class SameCode>
uint32_t choose_main_loop(const Weights& weights, uint32_t count, const LoopWeight& all, Outer outer, Within within,
                          SameCode same_code) {
  constexpr double least = 5e-4;       // a tenth of the time and a twentieth of the calls, say
  constexpr uint64_t least_calls = 8;  // an eighth of them will do: something outside all loops may take the time
  constexpr uint32_t few_loops = 1000;
  constexpr double noise_ns = 5e7;  // what a busy machine may add anywhere: below it calls decide
  const auto size_of = [](double ns, double calls) { return (ns + noise_ns) * (ns + noise_ns) * calls; };
  const auto size = [&](const LoopWeight& w) { return size_of(w.ns, static_cast<double>(w.calls)); };
  // With what the same loop takes beside it in other calling contexts: a program may call its solver twice.
  const auto size_everywhere = [&](uint32_t loop) {
    double ns = weights[loop].ns, calls = static_cast<double>(weights[loop].calls);
    for (uint32_t l = 1; l < count && count <= few_loops; ++l) {
      if (l == loop || !weights[l].trips() || outer(l) != outer(loop) || !same_code(l, loop)) continue;
      ns += weights[l].ns;
      calls += static_cast<double>(weights[l].calls);
    }
    return size_of(ns, calls);
  };
  const auto is_step_of = [&](uint32_t whole, uint32_t part) {
    for (uint32_t l = 1; l < count; ++l) {
      if (l != part && weights[l].trips() && same_code(l, part) && within(l, whole)) return true;
    }
    return false;
  };
  uint32_t best = 0;
  for (uint32_t l = 1; l < count; ++l) {
    const LoopWeight& w = weights[l];
    if (w.trips() < least_trips_of_main_loop || !w.has_mpi) continue;
    if (size(w) < least * size(all) && least_calls * w.calls < all.calls) continue;
    if (!best || within(best, l) || is_step_of(l, best)) {
      best = l;
    } else if (!within(l, best) && !is_step_of(best, l)) {
      const bool larger =
          same_code(l, best) ? size(w) > size(weights[best]) : size_everywhere(l) > size_everywhere(best);
      if (larger) best = l;
    }
  }
  return best;
}

}  // namespace leadline::trace
