// The series of a generation (docs/reference/format.md). Nothing in the region is trusted.
#include <initializer_list>

#include "recording/at_most.hpp"
#include "recording/encode.hpp"
#include "recording/iterations.hpp"
#include "trace/series_codec.hpp"

namespace leadline::recording {

namespace {

struct View {
  const ThreadHeader& h;
  const SeriesState& s;
  const Position* positions;
  uint64_t position_count;
  const FoldedTimes* folded;
  const StripBucket* buckets;
  const SeriesWindow* windows;
  uint64_t window_count;
  const SeriesEntry* entries;
  uint64_t entry_count;

  explicit View(const char* region)
      : h(*reinterpret_cast<const ThreadHeader*>(region)),
        s(*reinterpret_cast<const SeriesState*>(region + thread_at::series)),
        positions(reinterpret_cast<const Position*>(region + thread_at::positions)),
        position_count(at_most(h.positions.used, capacity::positions)),
        folded(reinterpret_cast<const FoldedTimes*>(region + thread_at::folded)),
        buckets(reinterpret_cast<const StripBucket*>(region + thread_at::series_buckets)),
        windows(reinterpret_cast<const SeriesWindow*>(region + thread_at::series_windows)),
        window_count(at_most(s.windows.used, capacity::series_windows)),
        entries(reinterpret_cast<const SeriesEntry*>(region + thread_at::series_entries)),
        entry_count(at_most(s.entries.used, capacity::series_entries)) {}
};

// In units of this many ticks, a strip's times have ten bits or more.
uint32_t strip_shift(const StripBucket* buckets, uint32_t n) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < n; ++i) {
    if (buckets[i].count && buckets[i].min < least) least = buckets[i].min;
  }
  const int bits = 64 - __builtin_clzll(least | 1);
  return bits > 10 && least != UINT64_MAX ? static_cast<uint32_t>(bits - 10) : 0;
}

void put_strip(const SeriesLoop& l, const StripBucket* buckets, trace::ByteSink* out) {
  const auto n = static_cast<uint32_t>(at_most(l.buckets, trace::most_buckets));
  const uint32_t shift = strip_shift(buckets, n);
  out->varint(l.bucket_size);
  out->byte(static_cast<uint8_t>(shift));
  out->varint(n);
  uint64_t before = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const StripBucket& b = buckets[i];
    out->varint(b.count);
    if (!b.count) continue;
    const uint64_t mean = (b.sum / b.count) >> shift;
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(mean), static_cast<int64_t>(before)));
    out->varint(mean - (b.min >> shift));
    out->varint((b.max >> shift) - mean);
    out->varint(b.max_iteration - uint64_t{i} * l.bucket_size);
    before = mean;
  }
}

// Writes the ways into iterations and out of the loop.
void put_crossings(uint32_t source, ThreadLoops* loops, trace::ByteSink* out) {
  uint64_t n = 0;
  for (const bool writing : {false, true}) {
    if (writing) out->varint(n);
    for (uint32_t i = 1; i < loops->transitions.size(); ++i) {
      const Crossing c = loops->crossing(i, source);
      if (c == Crossing::none) continue;
      ++n;
      if (!writing) continue;
      out->varint(loops->transitions[i].from);
      out->varint(uint64_t{loops->transitions[i].to} << 1 | (c == Crossing::ends));
    }
  }
}

void put_loop(const SeriesLoop& l, const StripBucket* buckets, uint64_t origin, ThreadLoops* loops,
              trace::ByteSink* out) {
  out->varint(l.position);
  out->byte(l.after != 0);
  out->varint(l.source);
  if (l.source) put_crossings(l.source, loops, out);
  for (const uint64_t v : {uint64_t{l.anchors}, uint64_t{l.stride}, uint64_t{l.width}, l.first_call, l.skipped,
                           l.occurrences, l.timed, l.calls, l.ticks}) {
    out->varint(v);
  }
  put_strip(l, buckets, out);
  const uint64_t n = at_most(l.slow_count, trace::most_slow);
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    out->varint(l.slow[i].iteration);
    out->varint(l.slow[i].ticks);
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(l.slow[i].begin_ticks), static_cast<int64_t>(origin)));
    out->varint(l.slow[i].longest_gap);
    out->varint(l.slow[i].gap_position);
  }
}

struct Written {
  const SeriesWindow* window;
  uint64_t entries, end_ticks;
  const SeriesEntry* from;
};

// Calls that take more than a two-hundredth of an iteration are written more precisely, so that the times of later
// calls stay right.
uint64_t tolerance_of(const SeriesLoop* loops, uint64_t n) {
  uint64_t longest = 0;
  for (uint64_t i = 0; i < n; ++i) {
    if (loops[i].timed && loops[i].ticks / loops[i].timed > longest) longest = loops[i].ticks / loops[i].timed;
  }
  return longest ? longest / 4096 + 1 : UINT64_MAX;
}

// The error of rounding so far is added to long times, so that the sum of all, the time at which a call begins, stays
// right. It is at most an eightieth of a value, so that each value stays within 3 %.
class Balance {
 public:
  uint64_t of(uint64_t ticks, uint64_t tolerance) {
    counts_ = ticks < longest;
    if (!counts_) return ticks;
    const double most = static_cast<double>(ticks / 80), owed = owed_ < -most ? -most : owed_ > most ? most : owed_;
    const auto more = static_cast<uint64_t>(static_cast<int64_t>(owed));
    owed_ += static_cast<double>(ticks);
    return is_fine(ticks, tolerance) && is_fine(ticks + more, tolerance) ? ticks + more : ticks;
  }
  void wrote(double ticks) {
    if (counts_) owed_ -= ticks;
  }

 private:
  static bool is_fine(uint64_t ticks, uint64_t tolerance) {
    return trace::detail_bits(trace::level_of(ticks + 1), tolerance) >= 2;  // right within a hundredth
  }
  static constexpr uint64_t longest = uint64_t{1} << 52;  // days: no such time was measured
  // What is written may lie between two ticks.
  double owed_ = 0;
  bool counts_ = false;
};

bool any_polled(const Written* windows, uint64_t n) {
  for (uint64_t w = 0; w < n; ++w) {
    for (uint64_t i = 0; i < windows[w].entries; ++i) {
      if (windows[w].from[i].polled) return true;
    }
  }
  return false;
}

void put_entries(const Written* windows, uint64_t n, uint64_t tolerance, trace::ByteSink* out) {
  const trace::Scratchpad<trace::Habits> habits(capacity::positions);
  const trace::Scratchpad<trace::BitModel> memory(trace::SeriesModels::count);
  trace::SeriesModels models(memory.get());
  const bool polled = any_polled(windows, n);
  trace::ByteSink data;
  trace::RangeWriter<trace::ByteSink> coder(&data);
  trace::Habits common;
  for (uint64_t w = 0; w < n && habits && memory; ++w) {
    Balance balance;
    const auto put = [&](uint64_t ticks, trace::Habit* own, trace::Habit* all, bool gap) {
      balance.wrote(trace::code_ticks(coder, &models, balance.of(ticks, tolerance), own, all, gap, tolerance));
    };
    for (uint64_t i = 0; i < windows[w].entries; ++i) {
      const SeriesEntry& e = windows[w].from[i];
      trace::Habits& own = habits[e.position < capacity::positions ? e.position : 0];
      if (polled) coder.bit(trace::polled_probability, e.polled);
      put(long_ticks(e.duration), &own.duration, &common.duration, false);
      put(long_ticks(e.gap), &own.gap, &common.gap, true);
    }
  }
  coder.end();
  out->varint(data.size());
  out->rest_is_dense();
  out->bytes(data.data(), data.size());
  if (polled) out->byte(1);
}

void put_windows(const Written* windows, uint64_t n, uint64_t origin, trace::ByteSink* out) {
  out->varint(n);
  uint64_t call = 0, ticks = origin, iteration = 0;
  for (uint64_t i = 0; i < n; ++i) {
    const SeriesWindow& w = *windows[i].window;
    out->byte(static_cast<uint8_t>(w.kind));
    out->varint(w.loop);
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(w.first_call), static_cast<int64_t>(call)));
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(w.begin_ticks), static_cast<int64_t>(ticks)));
    out->varint(windows[i].end_ticks - w.begin_ticks);
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(w.iteration), static_cast<int64_t>(iteration)));
    out->varint(windows[i].entries);
    call = w.first_call + windows[i].entries;
    ticks = windows[i].end_ticks;
    iteration = w.iteration;
  }
}

uint64_t ticks_of(const SeriesEntry* entries, uint64_t n) {
  uint64_t ticks = 0;
  for (uint64_t i = 0; i < n; ++i) ticks += long_ticks(entries[i].duration) + long_ticks(entries[i].gap);
  return ticks;
}

// Writes the windows in their present state; the last may still be open.
uint64_t list_windows(const View& v, Written* into) {
  uint64_t n = 0, entries = 0;
  for (uint64_t i = 0; i < v.window_count; ++i) {
    const SeriesWindow& w = v.windows[i];
    const bool open = v.s.open && i + 1 == v.window_count;
    // An unfinished search adds nothing to the existing windows.
    if (open && v.s.mode == SeriesMode::looking && v.s.loops) continue;
    uint64_t count = w.entries;
    if (open) count = v.entry_count > w.first_entry ? v.entry_count - w.first_entry : 0;
    if (w.first_entry > v.entry_count || count > v.entry_count - w.first_entry || entries + count > v.entry_count) {
      continue;
    }
    uint64_t end = open ? v.h.last_end : w.end_ticks;
    if (open && v.s.mode == SeriesMode::looking && count > v.s.limit) {  // a search may need more room than is left
      count = v.s.limit;
      end = w.begin_ticks + ticks_of(v.entries + w.first_entry, count);
    }
    entries += count;
    if (count) into[n++] = {&w, count, end, v.entries + w.first_entry};
  }
  return n;
}

constexpr uint64_t most_slow_windows = uint64_t{trace::most_loops} * trace::most_slow;

// The slowest iterations, where their calls come among those of the windows; not those that a window holds already.
uint64_t add_slowest(const View& v, SeriesWindow* slow, Written* into, uint64_t n) {
  const char* kept = reinterpret_cast<const char*>(&v.h) + thread_at::series_slow;
  for (uint32_t l = 0; l < at_most(v.s.loops, trace::most_loops); ++l) {
    const SeriesLoop& loop = v.s.loop[l];
    for (uint32_t i = 0; i < at_most(loop.slow_count, trace::most_slow); ++i, kept += thread_at::series_slow_size) {
      const SlowIteration& s = loop.slow[i];
      if (n == capacity::series_windows) return n;
      if (!s.entries || s.entries > trace::most_slow_entries || s.first_call > UINT64_MAX / 2) continue;
      uint64_t at = n;
      while (at > 0 && into[at - 1].window->first_call > s.first_call) --at;
      const bool free = (!at || into[at - 1].window->first_call + into[at - 1].entries <= s.first_call) &&
                        (at == n || s.first_call + s.entries <= into[at].window->first_call);
      if (!free) continue;
      const uint64_t end = s.begin_ticks + s.ticks;
      *slow = {s.first_call, s.begin_ticks, end, s.iteration, 0, s.entries, trace::SeriesKind::slowest, l};
      for (uint64_t w = n++; w > at; --w) into[w] = into[w - 1];
      into[at] = {slow++, s.entries, end, reinterpret_cast<const SeriesEntry*>(kept)};
    }
    kept += (trace::most_slow - at_most(loop.slow_count, trace::most_slow)) * thread_at::series_slow_size;
  }
  return n;
}

// A window with a pause in it is written as two: the second goes on behind the pause.
uint64_t part_at_pauses(const View& v, SeriesWindow* rest, Written* windows, uint64_t n) {
  for (uint32_t i = 0; i < at_most(v.s.pauses, most_series_pauses) && n < capacity::series_windows; ++i) {
    const SeriesPause& pause = v.s.pause[i];
    uint64_t at = 0;
    while (at < n && (pause.call <= windows[at].window->first_call ||
                      pause.call - windows[at].window->first_call >= windows[at].entries)) {
      ++at;
    }
    if (at == n) continue;
    Written& before = windows[at];
    const uint64_t kept = pause.call - before.window->first_call, left = before.entries - kept;
    const uint64_t end = before.window->begin_ticks + ticks_of(before.from, kept), begin = end + pause.ticks;
    *rest = {pause.call,         begin, before.end_ticks, before.window->iteration, 0, 0, trace::SeriesKind::continued,
             before.window->loop};
    for (uint64_t w = n++; w > at + 1; --w) windows[w] = windows[w - 1];
    windows[at + 1] = {rest++, left, before.end_ticks, before.from + kept};
    before.entries = kept;
    before.end_ticks = end;
  }
  return n;
}

// For a log that holds everything: writes all loops that may turn out to be the main one once all ranks are compared.
uint32_t find_loops(const View& v, const char* region, const Written& log, ThreadLoops* thread_loops, SeriesLoop* loops,
                    StripBucket* buckets) {
  const Iterations iterations(v.s, v.h, {v.positions, v.position_count}, v.folded, thread_loops);
  const LoopProfile profile(v.h, region, thread_loops);
  uint32_t sources[trace::most_loops];
  uint32_t n = profile ? profile.outermost(sources, trace::most_loops) : 0;
  for (uint32_t i = 0; i < n; ++i) loops[i] = source_loop(profile, thread_loops, sources[i]);
  if (!n) n = iterations.find(log.from, log.entries, *log.window, &loops[0]) ? 1 : 0;
  for (uint32_t i = 0; i < n; ++i) {
    SeriesLoop& l = loops[i];
    const uint64_t times = iterations.count(log.from, log.entries, l);
    l.occurrences = l.occurrences > times ? l.occurrences - times : 0;
    l.calls = 0;
    iterations.feed(log.from, log.entries, *log.window, &l, buckets + i * trace::most_buckets, nullptr);
  }
  return n;
}

}  // namespace

bool encode_series(const char* region, uint64_t tick_factor, uint64_t origin_ticks, bool last, trace::ByteSink* out,
                   uint64_t most_tolerance) {
  const View v(region);
  ThreadLoops thread_loops;
  thread_loops.attach_to_read(region);
  const trace::Scratchpad<Written> windows(v.window_count + most_slow_windows + most_series_pauses);
  const trace::Scratchpad<SeriesWindow> slow(most_slow_windows), rest(most_series_pauses);
  const trace::Scratchpad<SeriesLoop> loops(trace::most_loops);
  const trace::Scratchpad<StripBucket> buckets(trace::most_loops * trace::most_buckets);
  if (!windows || !slow || !rest || !loops || !buckets) return false;
  uint64_t n = list_windows(v, windows.get());
  if (last) n = add_slowest(v, slow.get(), windows.get(), n);
  uint64_t loop_count = last ? at_most(v.s.loops, trace::most_loops) : 0;
  for (uint64_t i = 0; i < loop_count; ++i) loops[i] = v.s.loop[i];
  if (!n && !loop_count) return false;
  const StripBucket* strip = v.buckets;
  const bool whole = n == 1 && windows[0].window->kind == trace::SeriesKind::whole;
  if (last && !loop_count && whole) {  // the run ended before the loop was looked for
    loop_count = find_loops(v, region, windows[0], &thread_loops, loops.get(), buckets.get());
    strip = buckets.get();
  }
  n = part_at_pauses(v, rest.get(), windows.get(), n);
  const uint64_t of_loop =
      tolerance_of(v.s.loops ? v.s.loop : loops.get(), v.s.loops ? at_most(v.s.loops, trace::most_loops) : loop_count);
  const uint64_t tolerance = at_most(of_loop, most_tolerance);
  out->varint(v.h.thread);
  out->varint(v.h.generation);
  out->varint(tick_factor);
  out->varint(tolerance);
  out->varint(loop_count);
  for (uint64_t i = 0; i < loop_count; ++i)
    put_loop(loops[i], strip + i * trace::most_buckets, origin_ticks, &thread_loops, out);
  put_windows(windows.get(), n, origin_ticks, out);
  put_entries(windows.get(), n, tolerance, out);
  return true;
}

}  // namespace leadline::recording
