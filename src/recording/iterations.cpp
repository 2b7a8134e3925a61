#include "recording/iterations.hpp"

namespace leadline::recording {

void KeptWindows::boundary(const SeriesLoop& l, uint64_t entry, uint64_t ticks) {
  const uint64_t iteration = l.iteration(), within = iteration & (l.stride - 1);
  for (uint32_t i = 0; i < slowest.slow_count; ++i) {
    if (slowest.slow[i].iteration == iteration) slow[i] = {entry, 0};
    if (slowest.slow[i].iteration + 1 == iteration) slow[i].end = entry;
  }
  if (iteration == 0 && !whole.first_entry && entry > 0 && entry <= most_before) {
    windows[count++] = {
        whole.first_call, whole.begin_ticks, ticks, 0, 0, static_cast<uint32_t>(entry), trace::SeriesKind::whole, loop};
  }
  if (open && (within == 0 || within >= l.width)) {
    SeriesWindow& w = windows[count - 1];
    w.entries = static_cast<uint32_t>(whole.first_entry + entry - w.first_entry);
    w.end_ticks = ticks;
    open = false;
  }
  if (within != 0 || open || count == most_kept_windows) return;
  windows[count++] = {
      whole.first_call + entry,   ticks, ticks, iteration, static_cast<uint32_t>(whole.first_entry + entry), 0,
      trace::SeriesKind::sampled, loop};
  open = true;
}

Iterations::Iterations(const SeriesState& state, const ThreadHeader& header, Positions positions,
                       const FoldedTimes* folded, ThreadLoops* loops)
    : state_(state),
      header_(header),
      positions_(positions),
      folded_(folded),
      loops_(loops),
      first_of_(positions.count),
      recent_(recent_crossings) {
  if (!first_of_ || !positions_by_key(positions.data, positions.count, first_of_.get())) positions_.count = 0;
}

uint64_t Iterations::visits(uint32_t position) const {
  return visits_of(positions_.data[position], position, folded_[position]);
}

bool Iterations::find(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop) const {
  if (!positions_.count) return false;
  const char* region = reinterpret_cast<const char*>(&header_);
  const LoopProfile profile(header_, region, loops_);
  if (const uint32_t main = profile ? profile.main() : 0) {
    *loop = source_loop(profile, loops_, main);
    return true;
  }
  if (knows_paths()) return false;
  const auto* sites = reinterpret_cast<const LiveSite*>(region + thread_at::sites);
  const uint64_t site_count = header_.sites.used < capacity::sites ? header_.sites.used : capacity::sites;
  FoundLoop found;
  if (!find_loop(entries, n, positions_.data, positions_.count, first_of_.get(), {&state_, sites, site_count},
                 &found)) {
    return false;
  }
  *loop = SeriesLoop{};
  loop->anchor = positions_.data[found.anchor].key;
  loop->position = found.anchor;
  loop->after = found.after;
  loop->anchors = 1;
  loop->first_call = window.first_call + found.start;
  loop->calls = static_cast<uint64_t>(found.period);
  for (uint32_t i = trace::first_position; i < positions_.count; ++i) {
    if (first_of_[i] == found.anchor) loop->occurrences += visits(i);
  }
  const uint64_t within = count(entries, n, *loop);
  loop->skipped = found.skipped + (loop->occurrences > within ? loop->occurrences - within : 0);
  return true;
}

SeriesLoop source_loop(const LoopProfile& profile, ThreadLoops* loops, uint32_t source) {
  SeriesLoop loop{};
  loop.source = source;
  loop.anchors = 1;
  for (uint32_t i = 1; i < loops->transitions.size(); ++i) {
    if (profile.times(i) && loops->crossing(i, source) == Crossing::begins) loop.occurrences += profile.times(i);
  }
  return loop;
}

// Repetition of calls is looked for only if their call paths are unknown.
bool Iterations::knows_paths() const {
  const uint64_t count = header_.sites.used < capacity::sites ? header_.sites.used : capacity::sites;
  uint64_t whole = 0;
  for (uint32_t i = 1; i < count; ++i) whole += loops_->source.sees(i);
  return count > 1 && whole >= count / 2;
}

Crossing Iterations::crossing(uint32_t from, uint32_t to, uint32_t source) const {
  if (crossings_of_ != source) {
    for (uint32_t r = 0; r < recent_crossings; ++r) recent_[r] = {};
    crossings_of_ = source;
  }
  RecentCrossing& recent = recent_[(from * 31 + to) % recent_crossings];
  if (!recent.known || recent.from != from || recent.to != to) {
    recent = {from, to, loops_->crossing(loops_->transitions.find(from, to), source), true};
  }
  return recent.crossing;
}

Crossing Iterations::Crossings::next(const SeriesEntry& entry) {
  if (!of_.recent_ || entry.position == trace::poll_position) return Crossing::none;
  const uint32_t from = before_, position = entry.position;
  before_ = position < of_.positions_.count ? of_.positions_.data[position].key.site : 0;
  const bool first = !any_;
  any_ = true;
  return first ? Crossing::none : of_.crossing(from, before_, source_);
}

uint64_t Iterations::count(const SeriesEntry* entries, uint64_t n, const SeriesLoop& loop) const {
  uint64_t times = 0;
  Crossings crossings(*this, loop.source);
  for (uint64_t i = 0; loop.source && i < n; ++i) times += crossings.next(entries[i]) == Crossing::begins;
  if (loop.source) return times;
  for (uint64_t i = 0; i < n; ++i) times += first_of(entries[i].position) == loop.position;
  return times;
}

void Iterations::feed(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* l,
                      StripBucket* buckets, KeptWindows* kept) const {
  uint64_t ticks = window.begin_ticks;
  uint64_t longest = 0;
  uint32_t longest_at = 0;
  const auto boundary = [&](uint64_t entry) {
    if (SlowIteration* slow = begin_timed_iteration(l, buckets, ticks, window.first_call + entry)) {
      slow->longest_gap = longest;
      slow->gap_position = longest_at;
    }
    longest = 0;
    if (kept) kept->boundary(*l, entry, ticks);
  };
  const auto end = [&](uint64_t entry) {
    if (SlowIteration* slow = end_timed_iteration(l, buckets, ticks, window.first_call + entry, l->iteration())) {
      slow->longest_gap = longest;
      slow->gap_position = longest_at;
    }
    l->running = 0;
  };
  Crossings crossings(*this, l->source);
  uint64_t next_pause = state_.next_pause(window.first_call + 1);
  for (uint64_t i = 0; i < n; ++i) {
    uint64_t paused = 0;
    if (window.first_call + i == next_pause) {
      paused = state_.paused_before(next_pause);
      next_pause = state_.next_pause(next_pause + 1);
    }
    ticks += paused;
    if (l->running) l->begin_ticks += paused;
    if (l->after && window.first_call + i == l->first_call) boundary(i);
    const Crossing crossing = l->source ? crossings.next(entries[i]) : Crossing::none;
    const bool anchor = l->source ? crossing == Crossing::begins : first_of(entries[i].position) == l->position;
    if (anchor) ++l->occurrences;
    if (anchor && l->source && l->occurrences == 1) l->first_call = window.first_call + i;
    if (crossing == Crossing::ends) end(i);
    const bool begins = anchor && l->at_boundary();
    if (begins && !l->after) boundary(i);
    const uint64_t gap = long_ticks(entries[i].gap);
    if (gap > longest && !entries[i].polled) longest = gap, longest_at = entries[i].position;
    ticks += gap + long_ticks(entries[i].duration);
    if (begins && l->after) boundary(i + 1);
  }
  if (kept) kept->end();
}

}  // namespace leadline::recording
