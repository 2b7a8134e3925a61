// The iterations of a timed loop, counted from the calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/reading/series_walk.hpp"
#include "trace/structure.hpp"

namespace leadline::calls {

class LoopIterations {
 public:
  // Both must outlive it.
  LoopIterations(const trace::Stream& stream, const trace::LoopTimes& loop);

  bool found() const { return generation_ < stream_.generations.size(); }

  uint64_t occurrences() const { return occurrences_; }
  void go_back(uint64_t occurrences) { occurrences_ = occurrences; }
  void pass(const trace::Event& e) {
    if (!loop_.source && e.generation == generation_ && e.key == anchor_) occurrences_ += e.times;
  }
  void pass(uint32_t from, uint32_t to, uint64_t times) {
    if (loop_.source && among(loop_.begins, from, to)) occurrences_ += times;
  }
  // The iteration of the next call.
  uint64_t of(const trace::TimedEvent& timed) {
    const trace::Event& e = timed.event;
    const bool begins = loop_.source ? !e.run && among(loop_.begins, timed.from, e.key.site)
                                     : e.generation == generation_ && e.key == anchor_;
    if (begins && !loop_.after) ++occurrences_;
    const uint64_t iteration = reached();
    if (begins && loop_.after) ++occurrences_;
    return iteration;
  }
  // The iteration of a call that does not begin one.
  uint64_t reached() const {
    const uint64_t since = occurrences_ > loop_.skipped ? occurrences_ - loop_.skipped : 0;
    return (loop_.after ? since : since ? since - 1 : 0) / loop_.anchors;
  }
  // Whether the call is one of the loop's.
  bool inside(const trace::TimedEvent& e) const {
    if (loop_.source) return stream_.within(stream_.loop_around(e.event.key.site), loop_.source);
    return e.event.generation == generation_ && e.entry >= loop_.first_call;
  }

 private:
  static bool among(const std::vector<uint64_t>& ways, uint32_t from, uint32_t to) {
    return std::binary_search(ways.begin(), ways.end(), uint64_t{from} << 32 | to);
  }

  const trace::Stream& stream_;
  const trace::LoopTimes& loop_;
  size_t generation_;  // the anchor's, which delimits the iterations where no loop of the source does
  trace::Key anchor_;
  uint64_t occurrences_ = 0;
};

}  // namespace leadline::calls
