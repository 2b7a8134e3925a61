// Which call completes the requests that an earlier call of its thread made, if one call completes them all.
//
// A completion says how many requests ago its own was made, which is enough among calls that follow one another. A
// request that was made in a stretch of calls whose times were not kept is not found.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/matching/matched_calls.hpp"
#include "calls/call.hpp"

namespace leadline::analysis {

class Completions {
 public:
  // `calls`: those that are matched, of which the last one is followed if it is among them.
  explicit Completions(std::vector<MatchedCall>* calls) : calls_(*calls) {}

  // The thread's next call.
  void follow(const calls::Call& call, bool matched) {
    const trace::TimedEvent& e = call.event;
    if (e.event.generation != generation_ || e.entry != next_) made_.clear();
    generation_ = e.event.generation;
    next_ = e.entry + 1;
    const size_t at = matched ? calls_.size() - 1 : not_matched;
    for (const calls::CallEffects::Request& r : call.effects.completed) {
      if (!r.age || r.age > made_.size()) continue;
      const Made& made = made_[made_.size() - r.age];
      if (made.site == r.site && made.call != not_matched) complete(made.call, at);
    }
    for (const calls::CallEffects::Request& r : call.effects.made) made_.push_back({r.site, at});
    if (matched && !call.effects.made.empty()) open_[at] = {call.effects.made.size(), not_matched, true};
  }

 private:
  static constexpr size_t not_matched = SIZE_MAX;
  struct Made {
    uint32_t site;
    size_t call;
  };
  // Requests of one call that are to be completed, and the call that completed the others, if that is one.
  struct Open {
    size_t left;
    size_t by;
    bool by_one;
  };

  void complete(size_t call, size_t by) {
    const auto open = open_.find(call);
    if (open == open_.end()) return;
    Open& o = open->second;
    o.by_one &= by != not_matched && (o.by == not_matched || o.by == by);
    o.by = by;
    if (--o.left) return;
    if (o.by_one) calls_[call].completion = static_cast<int64_t>(by);
    open_.erase(open);
  }

  std::unordered_map<size_t, Open> open_;
  std::vector<MatchedCall>& calls_;
  std::vector<Made> made_;
  size_t generation_ = SIZE_MAX;
  uint64_t next_ = 0;
};

}  // namespace leadline::analysis
