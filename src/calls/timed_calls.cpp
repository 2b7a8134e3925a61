#include "calls/timed_calls.hpp"

#include <algorithm>

namespace leadline::calls {

TimedCalls::TimedCalls(const trace::Process& process, size_t stream, const trace::LoopTimes& loop)
    : process_(process),
      index_(stream),
      stream_(process.streams[stream]),
      traffic_(process, stream),
      iterations_(stream_, loop),
      walker_(stream_),
      times_walker_(stream_),
      passed_{[this](const trace::Event& e) { pass(e); },
              [this](uint32_t from, uint32_t to, uint64_t times) { iterations_.pass(from, to, times); }} {
  if (!iterations_.found()) return;
  traffic_.may_pass() ? find_windows() : follow_to_windows();
}

void TimedCalls::pass(const trace::Event& e) {
  traffic_.pass(e);
  iterations_.pass(e);
}

void TimedCalls::find_windows() {
  trace::SeriesWalk walk(stream_);
  Window w;
  while (walk.next_window(&w.at, passed_)) {
    w.first = iterations_.reached();
    windows_.push_back(w);
    keep_mark();
    walk.pass_window(passed_);
    windows_.back().last = iterations_.reached();
  }
}

// The same where calls can't be passed.
void TimedCalls::follow_to_windows() {
  trace::SeriesWalk walk(stream_);
  trace::TimedEvent e;
  while (walk.next(&e)) {
    if (e.series && (e.first || windows_.empty())) {
      const auto series = static_cast<size_t>(e.series - stream_.series.data());
      const uint64_t entries = e.series->windows[e.window].entries;
      const uint64_t reached = iterations_.reached();
      windows_.push_back({{series, e.window, e.event.generation, e.entry, entries, e.from}, reached, reached});
      keep_mark();
    }
    const uint64_t iteration = iterations_.of(e);
    traffic_.count(e.event);
    if (e.series) windows_.back().last = std::max(windows_.back().last, iteration);
  }
}

// Marks take no more than some memory, unless calls can't be passed.
void TimedCalls::keep_mark() {
  constexpr size_t most_counts = size_t{1} << 16;
  const size_t window = windows_.size() - 1;
  if (traffic_.may_pass()) {
    if (window % spacing_) return;
    for (; marks_.size() > 1 && marked_ > most_counts; spacing_ *= 2) {
      const auto is_between = [&](const Mark& m) { return m.window % (2 * spacing_) != 0; };
      marks_.erase(std::remove_if(marks_.begin(), marks_.end(), is_between), marks_.end());
      marked_ = 0;
      for (const Mark& m : marks_) marked_ += m.traffic.counts.size();
    }
    if (window % spacing_) return;
  }
  marks_.push_back({window, iterations_.occurrences(), traffic_.mark()});
  marked_ += marks_.back().traffic.counts.size();
}

const trace::ReadTimes& TimedCalls::series_times(size_t series) {
  constexpr size_t most_values = size_t{1} << 18;
  for (const Times& t : times_) {
    if (t.series == series) return *t.read;
  }
  while (!times_.empty() && read_ >= most_values) {
    read_ -= times_.front().read->values.size();
    times_.pop_front();
  }
  times_.push_back({series, trace::times_of(process_, index_, series, [&] { return read_times(series); })});
  read_ += times_.back().read->values.size();
  return *times_.back().read;
}

// Times of one series, whose windows follow one another in windows_ as in the series.
trace::ReadTimes TimedCalls::read_times(size_t series) {
  trace::ReadTimes read;
  trace::SeriesTimes times(stream_.series[series]);
  const auto before = [](const Window& w, size_t s) { return w.at.series < s; };
  auto w = std::lower_bound(windows_.begin(), windows_.end(), series, before);
  for (bool good = true; good && w != windows_.end() && w->at.series == series; ++w) {
    times.begin(stream_.series[series].windows[w->at.window]);
    times_walker_.seek(w->at.generation, w->at.entry, w->at.from);
    trace::TimedEvent e;
    for (uint64_t left = w->at.entries; good && left && times_walker_.next(&e.event);) {
      if (e.event.generation != w->at.generation) break;
      const uint64_t alike = std::min(left, e.event.run ? 1 : e.event.times);
      for (uint64_t i = 0; i < alike && (good = times.next(e.event.position, &e)); ++i) {
        read.values.push_back({e.duration_ns, e.gap_ns});
        read.polled.push_back(e.polled);
      }
      left -= alike;
    }
    read.ends.emplace_back(w->at.window, read.values.size());
  }
  times_walker_.rest();
  return read;
}

// From the first to before the last: those of a window.
std::pair<size_t, size_t> TimedCalls::values_of(const trace::ReadTimes& times, size_t window) const {
  size_t begin = 0;
  for (const auto& [number, end] : times.ends) {
    if (number == windows_[window].at.window) return {begin, end};
    begin = end;
  }
  return {0, 0};
}

// Each call of a window, at whose beginning the walk is. False: it has fewer than it should.
template <class EachEvent>
bool TimedCalls::read(size_t window, trace::Walker* walker, EachEvent&& each) {
  const trace::TimedWindow& w = windows_[window].at;
  const trace::ReadTimes& times = series_times(w.series);
  const auto [begin, end] = values_of(times, window);
  trace::TimedEvent e;
  e.from = w.from;
  e.series = &stream_.series[w.series];
  uint64_t left = 0;
  double clock_ns = e.series->windows[w.window].begin_ns;
  for (size_t value = begin; value != end; ++value) {
    if (!left) {
      if (!walker->next(&e.event)) return false;
      left = e.event.run ? 1 : e.event.times;
      if (!e.event.run) e.event.times = 1;
    }
    --left;
    e.entry = w.entry + (value - begin);
    e.duration_ns = times.values[value].duration_ns;
    e.gap_ns = times.values[value].gap_ns;
    e.polled = times.polled[value];
    e.begin_ns = clock_ns + e.gap_ns;
    clock_ns = e.begin_ns + e.duration_ns;
    each(e);
    if (!e.event.run) e.from = e.event.key.site;
  }
  return !left && end - begin == w.entries;
}

void TimedCalls::visit(size_t window, const Each& each) {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), window, [](size_t w, const Mark& m) { return w < m.window; });
  const Mark& mark = after[-1];
  const trace::TimedWindow &from = windows_[mark.window].at, &w = windows_[window].at;
  // Whoever reads one window after the other goes on from the last one.
  const bool goes_on = traffic_.may_pass() && visited_ <= window && mark.window <= visited_;
  visited_ = SIZE_MAX;
  if (!goes_on) {
    traffic_.go_back(mark.traffic);
    iterations_.go_back(mark.occurrences);
    walker_.seek(from.generation, from.entry, from.from);
  }
  if (goes_on || mark.window != window) walker_.pass(w.generation, w.entry, passed_);
  const bool whole = read(window, &walker_, [&](const trace::TimedEvent& e) {
    const uint64_t iteration = iterations_.of(e);
    const CallEffects& effects = traffic_.count(e.event);
    each({e, effects, iterations_.inside(e), iteration, &traffic_});
  });
  if (whole) visited_ = window + 1;
}

void TimedCalls::visit_times(const EachTime& each) {
  LoopIterations iterations = iterations_;
  iterations.go_back(0);
  trace::Walker walker(stream_);
  const trace::Passed passed{[&](const trace::Event& e) { iterations.pass(e); },
                             [&](uint32_t from, uint32_t to, uint64_t times) { iterations.pass(from, to, times); }};
  for (size_t w = 0; w < windows_.size(); ++w) {
    walker.pass(windows_[w].at.generation, windows_[w].at.entry, passed);
    read(w, &walker, [&](const trace::TimedEvent& e) {
      const uint64_t iteration = iterations.of(e);
      each(e, iterations.inside(e), iteration);
    });
  }
}

void TimedCalls::visit(uint64_t first, uint64_t last, const Each& each) { visit({{first, last}}, each); }

void TimedCalls::visit(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, const Each& each) {
  for (size_t w = 0; w < windows_.size(); ++w) {
    const Window& window = windows_[w];
    if (std::any_of(ranges.begin(), ranges.end(),
                    [&](const auto& r) { return window.first <= r.second && r.first <= window.last; }))
      visit(w, each);
  }
  rest();
}

void TimedCalls::visit_all(const Each& each) {
  for (size_t w = 0; w < windows_.size(); ++w) visit(w, each);
  rest();
}

// Of many ranks, one at a time is visited.
void TimedCalls::rest() {
  visited_ = SIZE_MAX;
  walker_.rest();
}

uint64_t TimedCalls::calls() const {
  uint64_t calls = 0;
  for (const Window& w : windows_) calls += w.at.entries;
  return calls;
}

std::vector<std::pair<uint64_t, uint64_t>> TimedCalls::windows() const {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Window& w : windows_) all.emplace_back(w.first, w.last);
  return all;
}

}  // namespace leadline::calls
