#include "trace/reading/series_walk.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "trace/series_codec.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

namespace {

// Reads the bits of one series, window after window.
class Values {
 public:
  explicit Values(const Series& series)
      : series_(series),
        coder_(series.data.data(), series.data.size()),
        memory_(SeriesModels::count),
        models_(memory_.data()) {}

  bool next(uint32_t position, bool* polled, double* duration_ns, double* gap_ns) {
    if (habits_.size() <= position) habits_.resize(std::max<size_t>(position + 1, 2 * habits_.size()));
    Habits& own = habits_[position];
    const auto next_ns = [&](Habit* habit, Habit* common, bool gap) {
      return code_ticks(coder_, &models_, 0, habit, common, gap, series_.tolerance) * series_.ns_per_tick;
    };
    *polled = series_.polled && coder_.bit(polled_probability, 0);
    *duration_ns = next_ns(&own.duration, &common_.duration, false);
    *gap_ns = next_ns(&own.gap, &common_.gap, true);
    return coder_.ok();
  }

 private:
  const Series& series_;
  RangeReader coder_;
  std::vector<BitModel> memory_;
  SeriesModels models_;
  std::vector<Habits> habits_;
  Habits common_;
};

}  // namespace

struct SeriesTimes::State {
  Values values;
  double clock_ns = 0;
};

SeriesTimes::SeriesTimes(const Series& series) : state_(new State{Values(series)}) {}
SeriesTimes::~SeriesTimes() = default;
SeriesTimes::SeriesTimes(SeriesTimes&&) noexcept = default;

void SeriesTimes::begin(const WindowTimes& window) { state_->clock_ns = window.begin_ns; }

bool SeriesTimes::next(uint32_t position, TimedEvent* event) {
  State& s = *state_;
  if (!s.values.next(position, &event->polled, &event->duration_ns, &event->gap_ns)) return false;
  event->begin_ns = s.clock_ns + event->gap_ns;
  s.clock_ns = event->begin_ns + event->duration_ns;
  return true;
}

struct SeriesWalk::State {
  const Stream& stream;
  Walker walker;
  size_t series = 0, window = 0;
  uint64_t call = 0;    // number within the generation, a run of failed polls as one
  uint64_t within = 0;  // entries of the window so far
  size_t generation = 0;
  std::optional<SeriesTimes> values;
  Event event;
  uint32_t from = 0;  // site of the call before
  uint64_t left = 0;  // occurrences left of the event, which stands for several calls

  bool times;

  State(const Stream& s, bool with_times) : stream(s), walker(s), times(with_times) {}

  uint32_t number() const { return stream.generations[generation].facts().number; }

  // Goes to where the next window goes on. False: there is none.
  bool go_on(const Passed& passed) {
    for (; series < stream.series.size(); ++series, window = within = 0, values.reset()) {
      const Series& s = stream.series[series];
      while (window < s.windows.size() && within == s.windows[window].entries) ++window, within = 0;
      size_t to = generation;
      while (to < stream.generations.size() && stream.generations[to].facts().number < s.generation) ++to;
      if (window == s.windows.size() || to == stream.generations.size()) continue;
      const uint64_t entry = s.windows[window].first_call + within;
      const bool here = to == generation && call == entry;
      const bool behind = to == generation && call > entry;
      if (stream.generations[to].facts().number != s.generation || stream.generations[to].facts().unordered || behind)
        continue;
      if (here) return true;
      if (left) {  // of an event that stands for several calls
        Event rest = event;
        rest.times = to == generation ? std::min(left, entry - call) : left;
        passed.events(rest);
        passed.steps(event.key.site, event.key.site, rest.times);
        left -= rest.times;
        call += rest.times;
      }
      if (to != generation || call < entry) walker.pass(to, entry, passed);
      from = left ? event.key.site : walker.last_site();
      generation = to;
      call = entry;
      return true;
    }
    return false;
  }

  // The window that the call belongs to; nullptr: none.
  const WindowTimes* at() {
    for (; series < stream.series.size(); ++series, window = within = 0, values.reset()) {
      const Series& s = stream.series[series];
      if (s.generation > number()) return nullptr;
      if (s.generation < number()) continue;
      while (window < s.windows.size() && within == s.windows[window].entries) ++window, within = 0;
      if (window == s.windows.size()) continue;
      const WindowTimes& w = s.windows[window];
      if (call < w.first_call + within) return nullptr;
      if (call == w.first_call + within) return &w;
      // An expected window is missing: the bits that follow can't be assigned.
    }
    return nullptr;
  }
};

SeriesWalk::SeriesWalk(const Stream& stream, bool times) : state_(new State(stream, times)) {}
SeriesWalk::~SeriesWalk() = default;

bool SeriesWalk::next_timed(TimedEvent* event, const Passed& passed) { return state_->go_on(passed) && next(event); }

bool SeriesWalk::next_window(TimedWindow* window, const Passed& passed) {
  State& s = *state_;
  if (!s.go_on(passed)) return false;
  const uint64_t entries = s.stream.series[s.series].windows[s.window].entries;
  *window = {s.series, s.window, s.generation, s.call, entries, s.from};
  return true;
}

void SeriesWalk::pass_window(const Passed& passed) {
  State& s = *state_;
  const uint64_t entries = s.stream.series[s.series].windows[s.window].entries;
  s.call += entries - s.within;
  s.within = entries;
  s.walker.pass(s.generation, s.call, passed);
  s.from = s.walker.last_site();
}

bool SeriesWalk::next(TimedEvent* out) {
  State& s = *state_;
  if (!s.left) {
    if (!s.walker.next(&s.event)) return false;
    if (s.event.generation != s.generation) {
      s.generation = s.event.generation;
      s.call = 0;
    }
    s.left = s.event.run ? 1 : s.event.times;
  }
  --s.left;
  *out = TimedEvent{};
  out->event = s.event;
  out->entry = s.call;
  out->from = s.from;
  if (!s.event.run) s.from = s.event.key.site;
  if (!s.event.run) out->event.times = 1;
  if (const WindowTimes* w = s.at()) {
    if (s.times && !s.values) s.values.emplace(s.stream.series[s.series]);
    if (s.times && !s.within) s.values->begin(*w);
    out->first = s.within == 0;
    if (!s.times || s.values->next(s.event.position, out)) {
      out->series = &s.stream.series[s.series];
      out->window = s.window;
    }
    ++s.within;
  }
  ++s.call;
  return true;
}

}  // namespace leadline::trace
