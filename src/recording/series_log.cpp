#include "recording/series_log.hpp"

#include "recording/at_most.hpp"
#include "recording/iterations.hpp"
#include "trace/scratchpad.hpp"

namespace leadline::recording {

namespace {

constexpr uint64_t least_limit = 4000;  // entries, of 5 kB: nothing is kept below this limit

}  // namespace

void SeriesLog::attach(ThreadHeader* header, char* region, Backing backing, Table<Position> positions,
                       Table<FoldedTimes> folded, Table<RawTimes> raw, ThreadLoops* loops) {
  loops_ = loops;
  h_ = header;
  region_ = region;
  backing_ = backing;
  s_ = reinterpret_cast<SeriesState*>(region + thread_at::series);
  buckets_ = reinterpret_cast<StripBucket*>(region + thread_at::series_buckets);
  entries_ = {&s_->entries, region + thread_at::series_entries, capacity::series_entries, backing};
  windows_ = {&s_->windows, region + thread_at::series_windows, capacity::series_windows, backing};
  positions_ = positions;
  folded_ = folded;
  raw_ = raw;
  backing.back(backing.self, region + thread_at::series, region + thread_at::series_windows);
  s_->mode = SeriesMode::off;
  s_->lost_at = s_->check_at = never;
}

void SeriesLog::know(uint32_t function, Kind kind) {
  uint8_t* bits = kind == Kind::collective ? s_->collective : kind == Kind::outside ? s_->outside : s_->files;
  if (function < 8 * sizeof(s_->files)) bits[function / 8] |= static_cast<uint8_t>(1u << (function % 8));
}

void SeriesLog::keep(uint64_t entries, uint64_t in_memory, bool automatic, Host host) {
  host_ = host;
  in_memory_ = at_most(in_memory, capacity::series_entries / 2);
  s_->limit = entries;
  s_->automatic = automatic;
  reset();
}

// The iteration under way goes on in the next generation, and its calls here count for it: its begin lies that far
// before the next one. The calls of the slowest were written with this one.
void SeriesLog::leave_generation() {
  if (s_->mode == SeriesMode::whole && !s_->automatic) s_->spilled += entries_.size();
  if (!s_->loops) return;
  loop().begin_call -= entries_of(*h_);
  for (uint32_t l = 0; l < s_->loops && l < trace::most_loops; ++l) {
    for (SlowIteration& slow : s_->loop[l].slow) slow.entries = 0;
  }
}

void SeriesLog::reset() {
  batches_kept_ = 0;
  entries_.clear();
  windows_.clear();
  const bool was_whole = s_->mode == SeriesMode::whole;
  const bool goes_on = follows_source();  // a loop of the source is the same in every generation
  if (!goes_on) s_->loops = s_->current = 0;
  s_->open = 0;
  s_->pauses = 0;
  arrived_ = 0;
  s_->mode = SeriesMode::off;
  s_->lost_at = s_->check_at = never;
  watch(false);
  if (s_->limit < least_limit || h_->unordered) return;
  if (goes_on) return go_on(was_whole);
  if (s_->spilled + least_limit > s_->limit) return;
  s_->probe = static_cast<uint32_t>(series_probe);
  open(trace::SeriesKind::whole, 0, entries_of(*h_), h_->last_end);
  s_->mode = SeriesMode::looking;
  s_->check_at = s_->probe;
}

// The loop goes on in this generation. All times are kept as long as the user's limit holds them, then those of some
// iterations.
void SeriesLog::go_on(bool whole) {
  if (whole && !s_->automatic && s_->spilled + least_limit <= s_->limit) {
    open(trace::SeriesKind::whole, loop().occurrences, entries_of(*h_), h_->last_end);
    s_->mode = SeriesMode::whole;
    s_->check_at = at_most(s_->limit - s_->spilled, s_->limit <= in_memory_ ? s_->limit : series_spill);
    return;
  }
  s_->limit = at_most(s_->limit, in_memory_);
  s_->mode = SeriesMode::sampling;
  if (!loop().stride) choose_stride();
  s_->check_at = s_->limit;
  s_->lost_at = capacity::series_entries;
}

void SeriesLog::stop() {
  close(h_->last_end);
  s_->mode = SeriesMode::off;
  watch(false);
  s_->lost_at = s_->check_at = never;
}

void SeriesLog::watch(bool on) {
  keep_batches(s_->mode == SeriesMode::sampling);
  h_->unusual &= ~(unusual_watched | unusual_exact);
  if (on) h_->unusual |= unusual_watched | (s_->mode == SeriesMode::sampling ? unusual_exact : 0u);
}

void SeriesLog::open(trace::SeriesKind kind, uint64_t iteration, uint64_t first_call, uint64_t begin_ticks) {
  SeriesWindow* w = windows_.append();
  if (!w) return thin();
  *w = {first_call, begin_ticks, begin_ticks, iteration, entries_.size(), 0, kind, s_->current};
  s_->open = 1;
  s_->polled = s_->own = 0;
  watch(true);
}

void SeriesLog::close(uint64_t end_ticks) {
  if (!s_->open) return;
  SeriesWindow* w = window();
  w->entries = entries_.size() - w->first_entry;
  w->end_ticks = end_ticks;
  s_->open = 0;
  watch(false);
}

// --- Time that is not the program's ---

void SeriesLog::pass_over(uint64_t ticks) {
  h_->last_end += ticks;
  if (s_->loops && loop().running) loop().begin_ticks += ticks;
  if (!s_->open) return;
  if (ticks >= least_pause_ticks && s_->pauses < most_series_pauses) return pause_window(ticks);
  s_->own += ticks;
}

// The rest of the window is that much later than the times of its calls suggest.
void SeriesLog::pause_window(uint64_t ticks) {
  SeriesWindow* w = window();
  const uint64_t within = entries_.size() - w->first_entry, call = w->first_call + within;
  if (!within) {
    w->begin_ticks += ticks;
    return;
  }
  SeriesPause* last = s_->pauses ? &s_->pause[s_->pauses - 1] : nullptr;
  if (last && (last->call == call || s_->pauses == most_series_pauses)) {  // without room it is recorded too early
    last->ticks += ticks;
  } else {
    s_->pause[s_->pauses++] = {call, ticks};
  }
}

void SeriesLog::full() {
  const OwnWork own(this);
  switch (s_->mode) {
    case SeriesMode::looking:
      return look_for_loop();
    case SeriesMode::whole:
      if (s_->spilled + entries_.size() >= s_->limit && !s_->spilled && s_->loops) {
        s_->mode = SeriesMode::sampling;
        const SeriesWindow whole = *window();
        close(h_->last_end);
        return keep_windows_of(whole);
      }
      close(h_->last_end);
      if (!host_.spill || !host_.spill(host_.self)) return stop();
      s_->spilled += entries_.size();
      entries_.clear();
      windows_.clear();
      s_->check_at = series_spill;
      if (s_->spilled < s_->limit) {
        open(trace::SeriesKind::whole, s_->loops ? loop().occurrences : 0, entries_of(*h_), h_->last_end);
        return;
      }
      if (!s_->loops) return stop();
      s_->mode = SeriesMode::sampling;  // for the rest of the run
      s_->limit = series_probe;
      s_->check_at = room_of_windows();
      choose_stride();
      return;
    case SeriesMode::sampling:
      return thin();
    case SeriesMode::off:
      s_->check_at = never;
  }
}

// --- Windows ---

// Chooses the stride so that the existing windows fill half of the room.
void SeriesLog::choose_stride() {
  SeriesLoop& l = loop();
  const uint64_t body = l.timed ? l.calls / l.timed + 1 : 1;
  l.stride = 2 * l.width;
  while (l.stride < 1u << 30 && (l.iteration() / l.stride + 1) * l.width * body > room_of_windows() / 2) l.stride *= 2;
}

// Of the last window, which holds everything, what belongs to windows of the stride.
void SeriesLog::keep_windows_of(const SeriesWindow& closed) {
  SeriesWindow whole = closed;
  whole.entries = entries_.size() - whole.first_entry;
  choose_stride();
  --s_->windows.used;
  const trace::Scratchpad<SeriesWindow> kept(most_kept_windows);
  uint32_t n = 0;
  bool last_open = false;
  if (kept) {
    SeriesLoop again = loop();
    again.occurrences = whole.iteration;
    again.running = 0;
    Iterations iterations(*s_, *h_, {positions_.data(), positions_.size()}, folded_.data(), loops_);
    KeptWindows keeping{kept.get(), 0, whole, s_->limit / 8, s_->current, loop()};
    iterations.feed(&entries_[whole.first_entry], whole.entries, whole, &again, nullptr, &keeping);
    keep_slow_of(whole, keeping);
    n = keeping.count;
    last_open = keeping.open;
  }
  compact(kept.get(), n);
  if (!n && whole.first_entry < entries_.size()) s_->entries.used = whole.first_entry;
  s_->open = last_open;
  watch(last_open);
  s_->check_at = room_of_windows();
  s_->lost_at = h_->steps + 8 * (loop().timed ? loop().calls / loop().timed : 0) + 4096;
  if (entries_.size() >= s_->check_at) thin();
}

// Appends the windows to the table and moves their entries together.
void SeriesLog::compact(const SeriesWindow* kept, uint32_t n) {
  uint64_t used = 0;
  for (uint32_t i = 0; i < windows_.size(); ++i) used += windows_[i].entries;
  for (uint32_t i = 0; i < n; ++i) {
    SeriesWindow* w = windows_.append();
    if (!w) break;
    *w = kept[i];
    __builtin_memmove(&entries_[used], &entries_[w->first_entry], w->entries * sizeof(SeriesEntry));
    w->first_entry = static_cast<uint32_t>(used);
    used += w->entries;
  }
  s_->entries.used = used;
}

// If no size was set, windows get two thirds of the room that the calls of a short program may take: the slowest
// iterations come on top.
uint64_t SeriesLog::room_of_windows() const {
  if (!s_->automatic) return s_->limit;
  const SeriesLoop& l = s_->loop[s_->current];
  const uint64_t iterations = automatic_iterations * (l.timed ? l.calls / l.timed + 1 : 1);
  const uint64_t room = s_->limit - s_->limit / 3;
  return room > iterations ? room : at_most(iterations, s_->limit);
}

// Drops every second window.
void SeriesLog::thin() {
  if (s_->mode != SeriesMode::sampling) return stop();
  if (s_->open) window()->entries = entries_.size() - window()->first_entry;
  for (int pass = 0; pass < 32; ++pass) {
    for (uint32_t i = 0; i < s_->loops; ++i) {
      if (s_->loop[i].stride < 1u << 30) s_->loop[i].stride *= 2;
    }
    uint64_t used = 0;
    uint32_t n = 0;
    bool open = false;
    for (uint32_t i = 0; i < windows_.size(); ++i) {
      SeriesWindow w = windows_[i];
      const bool last = i + 1 == windows_.size();
      const uint64_t stride = s_->loop[w.loop < trace::most_loops ? w.loop : 0].stride;
      if (w.kind == trace::SeriesKind::sampled && (w.iteration & (stride - 1)) != 0) continue;
      if (w.kind == trace::SeriesKind::whole && pass > 2) continue;
      __builtin_memmove(&entries_[used], &entries_[w.first_entry], w.entries * sizeof(SeriesEntry));
      w.first_entry = static_cast<uint32_t>(used);
      used += w.entries;
      windows_[n++] = w;
      open |= last && s_->open;
    }
    s_->windows.used = n;
    s_->entries.used = used;
    s_->open = open;
    watch(open);
    if (used < room_of_windows() * 7 / 8 && n < capacity::series_windows * 7 / 8) return;
  }
  stop();
}

}  // namespace leadline::recording
