// Which call completes the request that another one of its thread made.
//
// A completion says how many requests ago its own was made, which is enough among calls that follow one another. A
// request that was made in a stretch of calls whose times were not kept is not found.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/matching/matching.hpp"
#include "analysis/matching/timed_calls.hpp"

namespace leadline::analysis {

class Completions {
 public:
  // `calls`: those that are matched, of which the last one is followed if it is among them.
  explicit Completions(std::vector<MatchedCall>* calls) : calls_(*calls) {}

  // The thread's next call.
  void follow(const TimedCalls::Call& call, bool matched) {
    const trace::TimedEvent& e = call.event;
    if (e.event.generation != generation_ || e.entry != next_) made_.clear();
    generation_ = e.event.generation;
    next_ = e.entry + 1;
    for (const Acts::Request& r : call.acts.completed) {
      if (!r.age || r.age > made_.size()) continue;
      const Made& made = made_[made_.size() - r.age];
      if (made.site != r.site || made.call == not_matched || !matched) continue;
      calls_[made.call].completion = static_cast<int64_t>(calls_.size() - 1);
    }
    const bool alone = call.acts.made.size() == 1;  // a call that starts several has several completions
    for (const Acts::Request& r : call.acts.made) made_.push_back({r.site, matched && alone ? calls_.size() - 1 : not_matched});
  }

 private:
  static constexpr size_t not_matched = SIZE_MAX;
  struct Made {
    uint32_t site;
    size_t call;
  };
  std::vector<MatchedCall>& calls_;
  std::vector<Made> made_;
  size_t generation_ = SIZE_MAX;
  uint64_t next_ = 0;
};

}  // namespace leadline::analysis
