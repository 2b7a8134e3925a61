#include "analysis/matching/timed_calls.hpp"

#include <algorithm>

namespace leadline::analysis {

size_t generation_of(const trace::Stream& stream, const trace::LoopTimes& loop) {
  size_t generation = stream.generations.size();
  for (const trace::Series& s : stream.series) {
    for (const trace::LoopTimes& l : s.loops) {
      if (l.position != loop.position || l.source != loop.source || l.occurrences != loop.occurrences) continue;
      for (size_t g = 0; g < stream.generations.size(); ++g) {
        if (stream.generations[g].number == s.generation) generation = g;
      }
    }
  }
  return generation;
}

TimedCalls::TimedCalls(const trace::Process& process, const ProcessLoop& loop)
    : process_(process),
      index_(loop.stream),
      stream_(process.streams[loop.stream]),
      traffic_(process, loop.stream),
      iterations_(stream_, generation_of(stream_, loop.times), loop.times),
      walker_(stream_),
      passed_{[this](const trace::Event& e) { pass(e); },
              [this](uint32_t from, uint32_t to, uint64_t times) { iterations_.pass(from, to, times); }} {
  if (iterations_.found()) read();
}

void TimedCalls::pass(const trace::Event& e) {
  traffic_.pass(e);
  iterations_.pass(e);
}

void TimedCalls::read() {
  trace::SeriesWalk walk(stream_);
  trace::TimedEvent e;
  while (traffic_.may_pass() ? walk.next_timed(&e, passed_) : walk.next(&e)) {
    if (e.series && (e.first || windows_.empty())) {
      windows_.push_back({e.event.generation, e.entry, e.from, values_.size()});
      keep_mark();
    }
    const uint64_t iteration = iterations_.of(e);
    traffic_.count(e.event);
    if (!e.series) continue;
    values_.push_back({e.begin_ns, e.duration_ns, e.gap_ns, e.polled, e.series});
    Window& w = windows_.back();
    ++w.calls;
    if (!iterations_.inside(e)) continue;
    w.first = std::min(w.first, iteration);
    w.last = std::max(w.last, iteration);
  }
}

// Marks take no more than some memory, unless calls can't be passed.
void TimedCalls::keep_mark() {
  constexpr size_t most_counts = size_t{1} << 19;
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

void TimedCalls::visit(size_t window, const Each& each) {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), window, [](size_t w, const Mark& m) { return w < m.window; });
  const Mark& mark = after[-1];
  const Window &from = windows_[mark.window], &w = windows_[window];
  traffic_.go_back(mark.traffic);
  iterations_.go_back(mark.occurrences);
  walker_.seek(from.generation, from.entry, from.from);
  if (mark.window != window) walker_.pass(w.generation, w.entry, passed_);
  trace::TimedEvent e;
  e.from = w.from;
  uint64_t left = 0;
  for (size_t i = 0; i < w.calls; ++i) {
    if (!left) {
      if (!walker_.next(&e.event)) return;
      left = e.event.run ? 1 : e.event.times;
      if (!e.event.run) e.event.times = 1;
    }
    --left;
    const Value& value = values_[w.first_value + i];
    e.entry = w.entry + i;
    e.begin_ns = value.begin_ns;
    e.duration_ns = value.duration_ns;
    e.gap_ns = value.gap_ns;
    e.polled = value.polled;
    e.series = value.series;
    const uint64_t iteration = iterations_.of(e);
    const Acts& acts = traffic_.count(e.event);
    each({e, acts, iterations_.inside(e), iteration});
    if (!e.event.run) e.from = e.event.key.site;
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
}

void TimedCalls::visit_all(const Each& each) {
  for (size_t w = 0; w < windows_.size(); ++w) visit(w, each);
}

}  // namespace leadline::analysis
