// The calls whose times were kept, with their times, in order: walks the structure and takes the bits along.
#pragma once

#include <memory>

#include "trace/process.hpp"

namespace leadline::trace {

struct TimedEvent {
  Event event;             // times = 1, or a run of failed polls
  double begin_ns = 0;     // since the process's start
  double duration_ns = 0;  // of a run of polls: with what lies between them
  double gap_ns = 0;       // from the end of the call before
  bool polled = false;     // in the gap polls failed whose place is not known: it is not computation alone
  const Series* series = nullptr;
  size_t window = 0;   // index
  bool first = false;  // of its window
};

class SeriesWalk {
 public:
  explicit SeriesWalk(const Stream& stream);
  ~SeriesWalk();
  SeriesWalk(const SeriesWalk&) = delete;
  SeriesWalk& operator=(const SeriesWalk&) = delete;

  // The next call, whether its times were kept or not (then series is nullptr). False at the end.
  bool next(TimedEvent* event);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::trace
