#include "trace/iterations.hpp"

namespace leadline::trace {

void KeptWindows::boundary(const SeriesLoop& l, uint64_t entry, uint64_t ticks) {
  const uint64_t iteration = l.iteration(), within = iteration & (l.stride - 1);
  for (uint32_t i = 0; i < slowest.slow_count; ++i) {
    if (slowest.slow[i].iteration == iteration) slow[i] = {entry, 0};
    if (slowest.slow[i].iteration + 1 == iteration) slow[i].end = entry;
  }
  if (iteration == 0 && !whole.first_entry && entry > 0 && entry <= most_before) {
    windows[count++] = {
        whole.first_call, whole.begin_ticks, ticks, 0, 0, static_cast<uint32_t>(entry), SeriesKind::whole, loop};
  }
  if (open && (within == 0 || within >= l.width)) {
    SeriesWindow& w = windows[count - 1];
    w.entries = static_cast<uint32_t>(whole.first_entry + entry - w.first_entry);
    w.end_ticks = ticks;
    open = false;
  }
  if (within != 0 || open || count == most_kept_windows) return;
  windows[count++] = {
      whole.first_call + entry, ticks, ticks, iteration, static_cast<uint32_t>(whole.first_entry + entry), 0,
      SeriesKind::sampled,      loop};
  open = true;
}

Iterations::Iterations(const SeriesState& state, const ThreadHeader& header, Positions positions,
                       const FoldedTimes* folded)
    : state_(state), header_(header), positions_(positions), folded_(folded), first_of_(positions.count) {
  if (!first_of_ || !positions_by_key(positions.data, positions.count, first_of_.get())) positions_.count = 0;
}

uint64_t Iterations::visits(uint32_t position) const {
  const uint32_t v = positions_.data[position].visits;
  const uint64_t pending = v == anchor_mark ? 0 : v < 8 ? v - (position & 7) : v & 7;
  return folded_[position].count + pending;
}

bool Iterations::find(const SeriesEntry* entries, uint64_t n, const SeriesWindow& window, SeriesLoop* loop) const {
  if (!positions_.count) return false;
  const char* region = reinterpret_cast<const char*>(&header_);
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
  loop->trips = 1;
  loop->first_call = window.first_call + found.start;
  loop->calls = static_cast<uint64_t>(found.period);
  for (uint32_t i = first_position; i < positions_.count; ++i) {
    if (first_of_[i] == found.anchor) loop->occurrences += visits(i);
  }
  const uint64_t within = count(entries, n, *loop);
  loop->skipped = found.skipped + (loop->occurrences > within ? loop->occurrences - within : 0);
  return true;
}

uint64_t Iterations::count(const SeriesEntry* entries, uint64_t n, const SeriesLoop& loop) const {
  uint64_t times = 0;
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
  for (uint64_t i = 0; i < n; ++i) {
    if (l->after && window.first_call + i == l->first_call) boundary(i);
    const bool anchor = first_of(entries[i].position) == l->position;
    if (anchor) ++l->occurrences;
    const bool begins = anchor && l->at_boundary();
    if (begins && !l->after) boundary(i);
    const uint64_t gap = long_ticks(entries[i].gap);
    if (gap > longest && !entries[i].polled) longest = gap, longest_at = entries[i].position;
    ticks += gap + long_ticks(entries[i].duration);
    if (begins && l->after) boundary(i + 1);
  }
  if (kept) kept->end();
}

}  // namespace leadline::trace
