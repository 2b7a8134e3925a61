// The calls of a process whose times were kept, with what they do and the iterations they belong to. Any iteration is
// found at once, however many came before it. Times are read when they are needed: if a run kept all of them, only some
// are in memory.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "calls/call.hpp"
#include "calls/loop_iterations.hpp"
#include "calls/traffic.hpp"
#include "trace/reading/kept_times.hpp"
#include "trace/reading/series_walk.hpp"

namespace leadline::calls {

class TimedCalls {
 public:
  // The iterations are those of the loop, which the thread timed. All must outlive it.   `stream`: index.
  TimedCalls(const trace::Process& process, size_t stream, const trace::LoopTimes& loop);

  using Each = std::function<void(const Call&)>;
  // The calls of all windows that hold calls of these iterations, in order.
  void visit(uint64_t first, uint64_t last, const Each& each);
  // The same for several ranges of iterations, first and last; each window once.
  void visit(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, const Each& each);
  void visit_all(const Each& each);
  // The same calls without their messages, which take most of the time: their times, and whether they are the loop's.
  using EachTime = std::function<void(const trace::TimedEvent& event, bool inside, uint64_t iteration)>;
  void visit_times(const EachTime& each);
  // The calls of all windows; fewer if the process's traces are damaged.
  uint64_t calls() const;
  // Of each window, the first and the last iteration that may have calls in it.
  std::vector<std::pair<uint64_t, uint64_t>> windows() const;

  const trace::Process& process() const { return process_; }
  size_t stream() const { return index_; }

 private:
  struct Window {
    trace::TimedWindow at;
    uint64_t first = 0, last = 0;  // iterations that may have calls in it
  };
  struct Times {
    size_t series;
    std::shared_ptr<const trace::ReadTimes> read;
  };
  struct Mark {
    size_t window;
    uint64_t occurrences;
    Traffic::Mark traffic;
  };
  void find_windows();
  void follow_to_windows();
  void keep_mark();
  const trace::ReadTimes& series_times(size_t series);
  trace::ReadTimes read_times(size_t series);
  std::pair<size_t, size_t> values_of(const trace::ReadTimes& times, size_t window) const;
  void visit(size_t window, const Each& each);
  void rest();
  template <class EachEvent>
  bool read(size_t window, trace::Walker* walker, EachEvent&& each);
  void pass(const trace::Event& event);

  const trace::Process& process_;
  size_t index_;
  const trace::Stream& stream_;
  Traffic traffic_;
  LoopIterations iterations_;
  trace::Walker walker_, times_walker_;
  trace::Passed passed_;
  std::vector<Window> windows_;
  std::deque<Times> times_;  // read last at the end
  size_t read_ = 0;          // values of these together
  std::vector<Mark> marks_;  // ascending; the first is of the first window
  size_t marked_ = 0, spacing_ = 1;
  size_t visited_ = SIZE_MAX;  // the window after the one that was visited last, if that was visited to its end
};

}  // namespace leadline::calls
