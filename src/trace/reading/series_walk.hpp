// The calls whose times were kept, with their times, in order: walks the structure and reads the bits alongside.
#pragma once

#include <memory>

#include "trace/process.hpp"

namespace leadline::trace {

struct TimedEvent {
  Event event;             // times = 1, or a run of failed polls
  uint64_t entry = 0;      // number within the generation
  uint32_t from = 0;       // site of the call before
  double begin_ns = 0;     // since the process's start
  double duration_ns = 0;  // for a run of polls: including the time between them
  double gap_ns = 0;       // from the end of the previous call
  bool polled = false;     // failed polls without a known place lie in the gap: it is not computation alone
  const Series* series = nullptr;
  size_t window = 0;   // index
  bool first = false;  // the first of its window
};

// A window of a series: entries that follow one another.
struct TimedWindow {
  size_t series = 0, window = 0;  // indices
  size_t generation = 0;          // index
  uint64_t entry = 0;             // number of the first within the generation
  uint64_t entries = 0;           // the generation may end before
  uint32_t from = 0;              // site of the call before
};

class SeriesWalk {
 public:
  // `times`: false: only whether a call's times were kept is asked for. Reading them is half of the work of a walk.
  explicit SeriesWalk(const Stream& stream, bool times = true);
  ~SeriesWalk();
  SeriesWalk(const SeriesWalk&) = delete;
  SeriesWalk& operator=(const SeriesWalk&) = delete;

  // The next call, whether its times were kept or not (if not, series is nullptr). False at the end.
  bool next(TimedEvent* event);
  // The next call whose times were kept; the calls before it are passed at once.
  bool next_timed(TimedEvent* event, const Passed& passed);

  // The next window whose calls' times were kept; the calls before it are passed at once. Reads no times.
  bool next_window(TimedWindow* window, const Passed& passed);
  // Goes to the end of that window. To call next() instead for each of its calls reads their times.
  void pass_window(const Passed& passed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The times of one series, which can only be read from its beginning on.
class SeriesTimes {
 public:
  explicit SeriesTimes(const Series& series);
  ~SeriesTimes();
  SeriesTimes(SeriesTimes&&) noexcept;

  // The entries of a window begin at this time.
  void begin(const WindowTimes& window);
  // The times of the next entry, a call of this position. False: the bits have ended, and nothing is written.
  bool next(uint32_t position, TimedEvent* event);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::trace
