// Skips the steady state exactly.
//
// What the engine does next depends on its state only, and times enter it as differences. If, whenever the first rank
// begins an iteration, the whole state (where each rank is, clocks, ports, requests, messages under way, events to
// come) is that of an earlier iteration with all times shifted by one constant, then every later period costs exactly
// that constant, as long as no loop ends in between. All periods but the last are passed at once: each time gets the
// constant, each loop that goes round loses as many iterations. Inner and outer loops are tried alike, so what happens
// every 48th step only makes a longer period.
//
// States are compared by a hash of 128 bits. Most differ already in where ranks are and when, which is much quicker to
// compare: only once that was the same, or so much happened that it is no matter, the whole state is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/state.hpp"

namespace leadline::replay {

template <class Instant>
class Steady {
 public:
  explicit Steady(bool allowed) : allowed_(allowed) {}

  bool allowed() const { return allowed_; }
  void forbid() { allowed_ = false; }            // actions depend on how many there were before
  uint64_t skipped() const { return skipped_; }  // messages

  // The first rank begins an iteration of the loop of that depth.
  void boundary(const Program& program, State<Instant>* state, size_t depth);

 private:
  struct Snapshot {
    uint64_t quick;  // of places and clocks
    bool whole;      // what follows is known
    uint64_t hash[2];
    Instant at;
    uint64_t replayed;           // messages
    std::vector<uint64_t> left;  // iterations, of all loops that ranks are in
  };
  struct Loop {
    const Element* element = nullptr;
    uint64_t boundaries = 0;
    uint64_t replayed = 0;  // messages, before the last one
    std::vector<Snapshot> snapshots;
  };
  bool wanted(const Loop& loop) const;
  Snapshot take_quick(const Program& program, const State<Instant>& state) const;
  void take(const Program& program, const State<Instant>& state, Snapshot* snapshot) const;
  // How many periods may be passed; 0: the loops' iterations differ in another way.
  uint64_t periods(const Snapshot& before, const Snapshot& now) const;
  void pass(State<Instant>* state, const Snapshot& before, const Snapshot& now, uint64_t periods);

  bool allowed_;
  uint64_t skipped_ = 0;
  std::vector<Loop> loops_;  // by depth
};

extern template class Steady<Plain>;
extern template class Steady<Traced>;

}  // namespace leadline::replay
