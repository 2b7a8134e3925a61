// The receiving port of a rank: one message at a time. It serves what the rank waits for first; what it waits for later
// goes into the times that were left, so that a message that came long ago is not kept waiting.
#pragma once

#include <algorithm>
#include <cstdint>

#include "replay/instant.hpp"

namespace leadline::replay {

template <class Instant>
class ReceivingPort {
 public:
  static constexpr uint32_t most_pauses = 4;  // earlier ones are forgotten: nothing more goes into them

  struct Pause {
    Instant begin;
    int64_t end_ps = 0;
  };

  // When a message has passed whose first byte arrives at that time.
  Instant serve(const Instant& head, const typename Instant::Cost& busy) {
    uint32_t at = count_;
    while (at && pauses_[at - 1].end_ps > head.ps) --at;
    for (; at < count_; ++at) {
      const Instant begin = later(head, pauses_[at].begin);
      if (begin.ps + busy.ps > pauses_[at].end_ps) continue;
      const Instant end = begin + busy;
      split(at, begin.ps, end);
      return end;
    }
    if (head.ps > free_.ps) insert(count_, {free_, head.ps});
    free_ = later(head, free_) + busy;
    return free_;
  }

  // All times, for those who compare or move them: `free`, then the pauses.
  template <class Each>
  void for_each_pause(const Each& each) {
    for (uint32_t i = 0; i < count_; ++i) each(pauses_[i]);
  }
  template <class Each>
  void for_each_pause(const Each& each) const {
    for (uint32_t i = 0; i < count_; ++i) each(pauses_[i]);
  }
  const Instant& free() const { return free_; }
  Instant& free() { return free_; }

 private:
  void insert(uint32_t at, const Pause& pause) {
    if (count_ == most_pauses) {
      if (!at) return;
      std::copy(pauses_ + 1, pauses_ + at, pauses_);
      pauses_[at - 1] = pause;
      return;
    }
    std::copy_backward(pauses_ + at, pauses_ + count_, pauses_ + count_ + 1);
    pauses_[at] = pause;
    ++count_;
  }
  void split(uint32_t at, int64_t begin_ps, const Instant& end) {
    const Pause before{pauses_[at].begin, begin_ps}, after{end, pauses_[at].end_ps};
    const bool left = before.end_ps > before.begin.ps, right = after.end_ps > after.begin.ps;
    if (right) {
      pauses_[at] = after;
      if (left) insert(at, before);
    } else if (left) {
      pauses_[at] = before;
    } else {
      std::copy(pauses_ + at + 1, pauses_ + count_, pauses_ + at);
      --count_;
    }
  }

  Instant free_;
  uint32_t count_ = 0;
  Pause pauses_[most_pauses];
};

}  // namespace leadline::replay
