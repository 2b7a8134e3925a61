// Follows the main loop while the program runs: finds it in the log, counts and times its iterations, and notices that
// it was left or that another loop is the main one by now.
#include "recording/at_most.hpp"
#include "recording/iterations.hpp"
#include "recording/loop_finder.hpp"
#include "recording/series_log.hpp"

namespace leadline::recording {

namespace {

// Below that, several iterations are timed as one: no message to another rank and back is that fast. To look at each
// one of a loop of the source costs 30 ns.
constexpr uint64_t short_iteration_ns = 2000, short_source_iteration_ns = 500;
constexpr uint32_t iterations_at_once = 8;  // size of one batch of times
constexpr uint32_t least_width = 4;         // fewest iterations in a window: its first and last may lack their partners

// Per iteration, but for the slowest: the first iterations touch memory for the first time.
uint64_t usual_ticks(const SeriesLoop& l) {
  uint64_t ticks = l.ticks;
  for (uint32_t i = 0; i < l.slow_count; ++i) ticks -= l.slow[i].ticks;
  return l.timed > l.slow_count ? ticks / (l.timed - l.slow_count) : UINT64_MAX;
}

uint64_t power_of_two(uint64_t at_least) {
  uint64_t n = 1;
  while (n < at_least) n *= 2;
  return n;
}

}  // namespace

void SeriesLog::mark_all() {
  const uint32_t source = loop().source;
  for (uint32_t i = trace::first_position; i < positions_.size(); ++i) {
    created(i);
    if (source && loop().anchors == 1 && crossing_to_next(i) != Crossing::none) mark(positions_[i].next);
  }
}

// The effect on the loop of going from a position to its next one.
Crossing SeriesLog::crossing_to_next(uint32_t index) const {
  const uint32_t next = positions_[index].next;
  if (!next) return Crossing::none;
  return loops_->crossing(loops_->transitions.find(positions_[index].key.site, positions_[next].key.site),
                          loop().source);
}

void SeriesLog::created(uint32_t index) {
  if (anchors(positions_[index].key)) mark(index);
}

void SeriesLog::mark(uint32_t index) {
  Position& p = positions_[index];
  if (p.visits == anchor_mark) return;
  fold(&folded_[index], raw_[index], p.visits < 8 ? index & 7 : 0, p.visits & 7, scale_);
  p.visits = anchor_mark;
  p.usual_gap = UINT16_MAX;  // both stamps
}

void SeriesLog::unmark() {
  for (uint32_t i = trace::first_position; i < positions_.size(); ++i) {
    if (positions_[i].visits == anchor_mark) positions_[i].visits = 8;  // nothing pending
  }
}

void SeriesLog::anchor_visited(uint32_t index, uint64_t duration, uint64_t gap) {
  SeriesLoop& l = loop();
  if (l.source) return cross(index, duration, gap);
  ++l.occurrences;
  const uint64_t end = h_->last_end, calls = entries_of(*h_);
  if (l.occurrences <= l.skipped) return;
  if (l.after) {
    begin_iteration(end, calls, index, duration, gap);
  } else {
    begin_iteration(end - duration - gap, calls - 1, index, duration, gap);
  }
}

void SeriesLog::several_iterations(uint32_t index, uint64_t duration, uint64_t gap) {
  loop().occurrences += iterations_at_once - 1;
  if (loop().source) {
    ++loop().occurrences;
    return begin_iteration(h_->last_end - duration - gap, entries_of(*h_) - 1, index, duration, gap);
  }
  anchor_visited(index, duration, gap);
}

void SeriesLog::begin_iteration(uint64_t ticks, uint64_t call, uint32_t position, uint64_t duration, uint64_t gap) {
  SeriesLoop& l = loop();
  const IterationBegin began = l.began;
  const uint64_t first_call = l.begin_call;
  SlowIteration* slow = begin_timed_iteration(&l, buckets(s_->current), ticks, call);
  if (!slow) return begin_windows(ticks, call, position, duration, gap);
  const OwnWork own(this);
  find_longest_gap(slow, l.after ? 0 : position);
  keep_slow(slow, began, first_call, call - first_call);
  begin_windows(ticks, call, position, duration, gap);
}

// Of the iteration that begins.
void SeriesLog::begin_windows(uint64_t ticks, uint64_t call, uint32_t position, uint64_t duration, uint64_t gap) {
  SeriesLoop& l = loop();
  l.began = {h_->steps - (l.after ? 0 : 1), gap, duration};
  s_->long_gap = 0;
  s_->long_calls = 0;
  if (s_->mode != SeriesMode::sampling) return;
  s_->lost_at = h_->steps + 8 * (l.timed ? l.calls / l.timed : 0) + 4096;
  const uint64_t iteration = l.iteration();
  const uint64_t within = iteration & (l.stride - 1);
  if (s_->open && (within == 0 || within >= l.width)) {
    if (!l.after && entries_.size()) --s_->entries.used;  // the anchor belongs to the iteration that begins now
    close(ticks);
  }
  if (within == 0 && !s_->open) {
    if (windows_.size()) leave_to_next(call, ticks);
    open(trace::SeriesKind::sampled, iteration, call, ticks);
    if (!l.after && s_->open) append(position, duration, gap);
  }
}

// The call that begins an iteration may have been the last of a window that was closed when the loop was taken up.
void SeriesLog::leave_to_next(uint64_t call, uint64_t ticks) {
  SeriesWindow* last = window();
  if (!last->entries || last->first_call + last->entries != call + 1) return;
  --last->entries;
  --s_->entries.used;
  last->end_ticks = ticks;
}

// The loop was left.
void SeriesLog::end_iteration(uint64_t ticks, uint64_t call) {
  SeriesLoop& l = loop();
  const IterationBegin began = l.began;
  const uint64_t first_call = l.begin_call;
  if (SlowIteration* slow = end_timed_iteration(&l, buckets(s_->current), ticks, call, l.iteration())) {
    const OwnWork own(this);
    find_longest_gap(slow, 0);
    keep_slow(slow, began, first_call, call - first_call);
  }
  l.running = 0;
}

// Among the last visits of all positions, whose times are still there. Of the anchor's own one that begins an iteration
// it was noted.
void SeriesLog::find_longest_gap(SlowIteration* slow, uint32_t anchor) const {
  slow->longest_gap = s_->long_gap;
  slow->gap_position = s_->long_gap_position;
  const auto better = [&](uint64_t gap, uint32_t position) {
    if (gap > slow->longest_gap && gap <= slow->ticks) slow->longest_gap = gap, slow->gap_position = position;
  };
  if (anchor) better(loop().began.gap, anchor);
  for (uint32_t i = trace::first_position; i < positions_.size(); ++i) {
    const uint32_t visits = positions_[i].visits;
    if (visits == (i & 7) || (anchor && visits == anchor_mark) || i == anchor) continue;
    better(raw_[i].gap[(visits - 1) & 7], i);
  }
}

void SeriesLog::look_for_loop() {
  const SeriesWindow* w = window();
  const uint64_t n = entries_.size() - w->first_entry;
  SeriesLoop found{};
  if (Iterations(*s_, *h_, {positions_.data(), positions_.size()}, folded_.data(), loops_)
          .find(&entries_[w->first_entry], n, *w, &found)) {
    return take(found);
  }
  // Steps are longer than that, or there are none yet.
  if (s_->probe < in_memory_ && w->first_entry + 2 * n <= capacity::series_entries) {
    s_->probe *= 2;
    s_->check_at = w->first_entry + s_->probe;
  } else if (s_->limit > in_memory_) {
    s_->mode = SeriesMode::whole;
    s_->check_at = entries_.size();
    full();
  } else {  // keep how it begins, look again later
    s_->entries.used = w->first_entry + at_most(n, w->first_entry ? 0 : s_->limit / 4);
    uint64_t end = w->begin_ticks;
    for (uint64_t i = w->first_entry; i < s_->entries.used; ++i) {
      end += long_ticks(entries_[i].duration) + long_ticks(entries_[i].gap);
    }
    close(end);
    if (!window()->entries) --s_->windows.used;
    s_->mode = SeriesMode::off;
    s_->check_at = never;
    s_->lost_at = h_->steps * 4;
  }
}

// Begins to count the loop's iterations, or goes on if the loop was left before.
void SeriesLog::take(const SeriesLoop& found) {
  uint32_t which = 0;
  while (which < s_->loops &&
         !(s_->loop[which].source == found.source && (found.source || s_->loop[which].anchor == found.anchor))) {
    ++which;
  }
  if (which == s_->loops) {
    if (s_->loops == trace::most_loops) return stop();
    s_->loop[which] = found;
    s_->loop[which].calls = 0;
    ++s_->loops;
  } else {
    s_->loop[which].occurrences = found.occurrences;
    s_->loop[which].running = 0;
  }
  s_->current = which;
  SeriesLoop& l = loop();
  part_iterations(which);
  l.occurrences = found.occurrences;
  SeriesWindow* w = window();
  w->loop = which;
  const SeriesWindow whole = *w;
  Iterations iterations(*s_, *h_, {positions_.data(), positions_.size()}, folded_.data(), loops_);
  const uint64_t n = entries_.size() - w->first_entry;
  const uint64_t before = l.occurrences - iterations.count(&entries_[w->first_entry], n, l);
  w->iteration = before;
  SeriesLoop again = l;
  again.occurrences = before;
  iterations.feed(&entries_[w->first_entry], n, whole, &again, nullptr, nullptr);
  const bool fresh = !l.timed;  // all iterations of one loop have this many anchors
  const uint64_t is_short = l.source ? short_source_iteration_ns : short_iteration_ns;
  if (fresh && scale_.ns(usual_ticks(again)) < is_short && (!l.source || begins_at_one()))
    l.anchors = iterations_at_once;
  again = l;
  again.occurrences = before;
  iterations.feed(&entries_[w->first_entry], n, whole, &again, buckets(which), nullptr);
  l = again;
  if (l.anchors > 1) count_by_batches(&l);
  mark_all();
  // Perhaps no iteration of an outer loop that replaced another one is timed yet.
  const uint64_t body = l.timed ? l.calls / l.timed + 1 : found.calls ? found.calls : 1;
  make_room_for(body);
  if (!l.width) {
    l.width = static_cast<uint32_t>(power_of_two(body < 256 / least_width ? 256 / body : least_width));
    if (l.width * body * 4 > s_->limit) l.width = 1;
  }
  if (!whole.first_entry && s_->spilled + entries_.size() < s_->limit) {
    s_->mode = SeriesMode::whole;
    const bool in_memory = s_->limit <= in_memory_;
    s_->check_at = in_memory || series_spill > entries_.size()
                       ? at_most(s_->limit, in_memory ? s_->limit : series_spill)
                       : entries_.size();
    watch(true);
    return;
  }
  s_->mode = SeriesMode::sampling;
  const SeriesWindow now = *window();
  close(h_->last_end);
  SeriesWindow closed = now;
  closed.entries = window()->entries;
  closed.end_ticks = h_->last_end;
  keep_windows_of(closed);
}

// The limit follows the loop. Of one that the user set, no more than what some iterations take: without any, what
// happens within one would be unknown.
void SeriesLog::make_room_for(uint64_t body) {
  const uint64_t room = (s_->automatic ? automatic_iterations : least_iterations) * body;
  if (room > s_->limit) s_->limit = at_most(room, in_memory_);
}

// Visits of a position whose times are not yet folded.
uint64_t SeriesLog::pending(uint32_t index) const {
  const uint32_t visits = positions_[index].visits;
  return visits == anchor_mark ? 0 : visits < 8 ? visits - (index & 7) : visits & 7;
}

// The position with the anchor's key that the loop goes through; what of its times is pending is counted with its
// batch.
void SeriesLog::count_by_batches(SeriesLoop* l) {
  uint64_t most = 0;
  for (uint32_t i = trace::first_position; i < positions_.size(); ++i) {
    const bool begins = l->source ? crossing_to_next(i) == Crossing::begins : positions_[i].key == l->anchor;
    const uint32_t at = l->source ? positions_[i].next : i;
    if (!begins || folded_[at].count + pending(at) <= most) continue;
    most = folded_[at].count + pending(at);
    l->counter = at;
  }
  l->occurrences -= pending(l->counter);
}

// Whether nearly all iterations of the loop begin with the same position: its batches count them.
bool SeriesLog::begins_at_one() const {
  const uint64_t all = loop().occurrences;
  uint64_t most = 0;
  for (uint32_t i = trace::first_position; i < positions_.size(); ++i) {
    if (crossing_to_next(i) != Crossing::begins) continue;
    const uint64_t visits = folded_[positions_[i].next].count + pending(positions_[i].next);
    if (visits > most) most = visits;
  }
  return most >= all - all / 16;
}

// Divides times that cover several iterations as if each had been timed.
void SeriesLog::part_iterations(uint32_t which) {
  SeriesLoop& l = s_->loop[which];
  const uint32_t anchors = l.anchors;
  l.anchors = 1;
  l.running = 0;
  if (anchors <= 1 || !l.timed) return;
  const uint64_t others = l.ticks / l.timed / anchors * (anchors - 1);
  l.timed *= anchors;
  l.bucket_size *= anchors;
  l.stride = l.stride < (1u << 30) / anchors ? l.stride * anchors : 1u << 30;
  l.width *= anchors;
  StripBucket* bucket = buckets(which);
  for (uint32_t i = 0; i < l.buckets; ++i) {
    bucket[i].count *= anchors;
    bucket[i].min /= anchors;
    bucket[i].max /= anchors;
    bucket[i].max_iteration *= anchors;
  }
  for (uint32_t i = 0; i < l.slow_count; ++i) {
    SlowIteration& slow = l.slow[i];
    slow.iteration *= anchors;
    slow.ticks =
        slow.ticks / anchors > slow.ticks - at_most(others, slow.ticks) ? slow.ticks / anchors : slow.ticks - others;
  }
  for (uint32_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].loop == which && windows_[i].kind == trace::SeriesKind::sampled) windows_[i].iteration *= anchors;
  }
}

void SeriesLog::lost() {
  const OwnWork own(this);
  if (s_->mode != SeriesMode::sampling && s_->mode != SeriesMode::off) {
    s_->lost_at = never;
    return;
  }
  if (s_->loops && loop().source) {
    reconsider();
    return;
  }
  close(h_->last_end);
  unmark();
  if (s_->loops) loop().running = 0;
  s_->lost_at = never;
  if (entries_.size() + series_probe > capacity::series_entries) return stop();
  s_->mode = SeriesMode::looking;
  s_->probe = static_cast<uint32_t>(series_probe);
  s_->check_at = entries_.size() + s_->probe;
  open(trace::SeriesKind::whole, 0, entries_of(*h_), h_->last_end);
}

// --- A loop of the source ---

void SeriesLog::settle_loops() {
  if (!loops_->source.reads_code()) return;
  const OwnWork own(this);
  for (uint32_t i = 1; i < loops_->transitions.size(); ++i) loops_->repeated(i);
  for (uint32_t s = 1; s < h_->sites.used; ++s) loops_->source.around(s);
}

void SeriesLog::arrive(uint32_t transition) {
  arrived_ = transition;
  crossing_ = loops_->crossing(transition, loop().source);
  if (crossing_ == Crossing::none && goes_further_out(transition)) crossing_ = Crossing::passes;
}

bool SeriesLog::goes_further_out(uint32_t transition) const {
  const uint32_t repeats = transition ? loops_->repeated(transition) : 0;
  return repeats && repeats != loop().source && loops_->source.within(loop().source, repeats);
}

// An event at a marked position, or one that came by a way not foreseen.
void SeriesLog::cross(uint32_t index, uint64_t duration, uint64_t gap) {
  uint32_t transition = arrived_;
  const uint32_t followed = loop().source;
  arrived_ = 0;
  crossing_ = Crossing::none;
  if (!transition) {
    const uint32_t before = recent_of(h_)[(h_->steps - 2) & (recent_positions - 1)];
    transition = loops_->transitions.find(positions_[before].key.site, positions_[index].key.site);
  }
  if (goes_further_out(transition)) {
    ++further_out_;
    if ((further_out_ & (further_out_ - 1)) == 0) {
      const OwnWork own(this);
      if (reconsider(transition)) return;
    }
  }
  const Crossing crossing = loops_->crossing(transition, loop().source);
  if (crossing == Crossing::begins) {
    // If the loop was adopted just now, this iteration is already counted.
    if (loop().source == followed) ++loop().occurrences;
    begin_iteration(h_->last_end - duration - gap, entries_of(*h_) - 1, index, duration, gap);
  } else if (crossing == Crossing::ends) {
    end_iteration(h_->last_end - duration - gap, entries_of(*h_) - 1);
  }
}

// Whether another loop is the main one by now. The times of the previous one are kept. True if the log was searched,
// including the current event.
bool SeriesLog::reconsider(uint32_t transition) {
  s_->lost_at = 2 * h_->steps;
  const LoopProfile profile(*h_, region_, loops_, transition);
  const uint32_t main = profile ? profile.main() : 0;
  if (main && main == loop().source) iterations_elsewhere(profile);
  if (!main || main == loop().source) return false;
  further_out_ = 0;
  unmark();
  loop().running = 0;
  SeriesLoop found = source_loop(profile, loops_, main);
  if (s_->open && window()->kind == trace::SeriesKind::whole) {
    take(found);
    return true;
  }
  close(h_->last_end);
  uint32_t which = 0;
  while (which < s_->loops && s_->loop[which].source != main) ++which;
  if (which == trace::most_loops) {
    stop();
    return true;
  }
  if (which == s_->loops) {
    ++s_->loops;
    s_->loop[which] = found;
  }
  s_->current = which;
  SeriesLoop& l = loop();
  part_iterations(which);
  l.occurrences = found.occurrences;
  l.width = least_width;
  // As many windows as fit, as if they had been kept from the first iteration on. Of long iterations there may be few,
  // and hardly any of their messages leave them: each is a window of its own, so that the next one is kept.
  const uint64_t body = entries_of(*h_) / (found.occurrences ? found.occurrences : 1) + 1;
  make_room_for(body);
  if (l.width * body * 4 > s_->limit || l.width * body > series_probe) l.width = 1;
  l.stride = l.width;
  while (l.stride < 1u << 30 && (l.iteration() / l.stride + 1) * l.width * body > s_->limit / 2) l.stride *= 2;
  s_->check_at = room_of_windows();
  resume();
  mark_all();
  return false;
}

// The previous loop's first window may have taken all of its room (output in the program's first step): there is more
// for the longer iterations of this one.
void SeriesLog::resume() {
  if (s_->mode != SeriesMode::off || h_->unordered || entries_.size() >= s_->check_at) return;
  s_->mode = SeriesMode::sampling;
  watch(false);
}

// The loop, which a position's batches count, goes on, but its iterations now begin with other positions.
void SeriesLog::iterations_elsewhere(const LoopProfile& profile) {
  SeriesLoop& l = loop();
  if (l.anchors <= 1) return;
  const uint64_t occurrences = source_loop(profile, loops_, l.source).occurrences;
  if (occurrences < l.occurrences + 2 * iterations_at_once) return;
  close(h_->last_end);
  part_iterations(s_->current);
  l.occurrences = occurrences;
  mark_all();
}

}  // namespace leadline::recording
