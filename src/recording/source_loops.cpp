#include "recording/source_loops.hpp"

#include <sys/mman.h>

#include <new>

#include "code/imported_calls.hpp"
#include "recording/loop_finder.hpp"

namespace leadline::recording {

void SourceLoops::attach(const Tables& tables, const CodePlaces& places) {
  t_ = tables;
  set_places(places);
  if (!t_.loops.size()) t_.loops.append_zeroed(1);  // number 0: none
}

namespace {

// Pages that are touched as they are needed; nullptr: there are none.
void* zeroed(uint64_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void SourceLoops::release(Known* known) {
  if (!known->routine) return;
  memory_.give(known->routine);
  kept_bytes_ -= known->bytes;
  known->routine = nullptr;
}

void SourceLoops::forget_routines() {
  for (uint32_t i = 0; i < known_count_; ++i) release(&known_[i]);
  known_count_ = 0;
  if (workspace_) munmap(static_cast<void*>(workspace_), sizeof(*workspace_));
  workspace_ = nullptr;
}

void SourceLoops::begin_silence(const uint8_t* vain, uint8_t* loud) {
  for (uint32_t s = 1; s < t_.sites.size(); ++s) {
    if (vain[s]) continue;
    for (uint32_t c = t_.sites[s].context; has_code(c) && !loud[c]; c = t_.contexts[c].parent) loud[c] = 1;
  }
  loud_ = loud;
  loud_count_ = t_.contexts.size();
  passed_count_ = 0;
  mark_loud_calls();
}

// A path that is the other's beginning ends where a routine was called: that routine's last call was made a jump.
bool SourceLoops::meet(uint32_t from_site, uint32_t to_site, Meeting* m) {
  if (from_site >= t_.sites.size() || to_site >= t_.sites.size()) return false;
  uint32_t a = t_.sites[from_site].context, b = t_.sites[to_site].context;
  if (!has_code(a) || !has_code(b)) return false;
  const Table<LiveContext>& c = t_.contexts;
  const uint32_t from = a;
  while (c[a].depth > c[b].depth) a = c[a].parent;
  const bool tail_call = a == b && a != from;
  while (c[b].depth > c[a].depth) b = c[b].parent;
  while (a != b && c[a].parent != c[b].parent) {
    if (!has_code(c[a].parent) || !has_code(c[b].parent)) return false;
    a = c[a].parent;
    b = c[b].parent;
  }
  *m = {c[a].parent, a, b};
  return !tail_call && !opaque(a) && !opaque(b);
}

// --- Routines ---

// The routine whose code contains the call, even if that part of the code was moved away. It stays valid until
// `sure_uses` others were asked for, or while it is pinned.
const SourceLoops::Known* SourceLoops::routine_of(uint64_t frame) {
  const auto has = [&](uint32_t i) {
    const Known& k = known_[i];
    if (!k.good || !k.routine->may_have(frame + k.bias) || !k.routine->knows(frame + k.bias)) return false;
    known_[i].used = ++uses_;
    return true;
  };
  uint16_t& last = last_of_[trace::mix(0x5c, frame) % (sizeof(last_of_) / sizeof(last_of_[0]))];
  if (last < known_count_ && has(last)) return &known_[last];
  for (uint32_t i = 0; i < known_count_; ++i) {
    if (!has(i)) continue;
    last = static_cast<uint16_t>(i);
    return &known_[i];
  }
  Known* again = nullptr;
  for (uint32_t i = 0; i < known_count_ && !again; ++i) {
    Known& k = known_[i];
    if (frame <= k.begin || frame > k.end) continue;
    // A return address that only a switch leads to: the routine is read once more when there are new ones.
    k.used = ++uses_;
    if (!k.good || k.pins || k.contexts == t_.contexts.size()) return nullptr;
    again = &k;
  }
  uint64_t address = 0;
  if (!places_.address || !places_.address(places_.self, frame, &address)) return nullptr;
  const Known* k = read(frame, address, again);
  return k && k->good && k->routine->knows(address) ? k : nullptr;
}

// The routine that was not asked for for longest.
SourceLoops::Known* SourceLoops::least_used(bool with_memory) {
  Known* best = nullptr;
  for (uint32_t i = 0; i < known_count_; ++i) {
    Known& k = known_[i];
    if (k.pins || (with_memory && !k.routine) || (best && k.used >= best->used)) continue;
    best = &k;
  }
  return best;
}

// Its place is that of another once all are taken. If routines take much memory, those not used of late give it back.
SourceLoops::Known* SourceLoops::room_for_one() {
  while (kept_bytes_ >= places_.most_kept_bytes) {
    Known* const k = least_used(true);
    if (!k || k->used + sure_uses > uses_) break;
    release(k);
    *k = {};
  }
  return known_count_ < most_routines ? &known_[known_count_++] : least_used(false);
}

SourceLoops::Known* SourceLoops::read(uint64_t frame, uint64_t address, Known* into) {
  code::Range range;
  if (!places_.map.find(places_.map.self, address - 1, &range)) return nullptr;
  Known* k = into ? into : room_for_one();
  if (!k) return nullptr;
  release(k);
  *k = {};
  k->used = ++uses_;
  k->bias = address - frame;
  k->begin = range.begin - k->bias;
  k->end = range.end - k->bias;
  k->contexts = t_.contexts.size();
  if (!workspace_) workspace_ = static_cast<Workspace*>(zeroed(sizeof(*workspace_)));
  if (!workspace_) return nullptr;
  uint64_t* const returns = workspace_->returns;
  const uint32_t loud = returns_in(*k, returns, 0, false);
  const uint32_t count = loud_ ? returns_in(*k, returns, loud, true) : loud;
  code::Routine reading{};
  k->good = reading.read(places_.map, address - 1, returns, count, loud, &workspace_->routine) && keep(reading, k);
  reading.leave(&workspace_->routine);
  if (k->good) mark_passed_loops(*k);
  return k;
}

// Appends where calls in the routine return to, and returns how many there are then.
uint32_t SourceLoops::returns_in(const Known& known, uint64_t* returns, uint32_t count, bool vain) const {
  if (!index_.update(t_.contexts)) return count;
  index_.each_within(t_.contexts, known.begin, known.end, [&](uint32_t c) {
    if (has_code(c) && is_vain(c) == vain && count < most_returns) returns[count++] = t_.contexts[c].frame + known.bias;
  });
  return count;
}

// In memory of its own, the arrays behind the object.
bool SourceLoops::keep(const code::Routine& read, Known* known) {
  known->bytes = sizeof(code::Routine) + read.kept_bytes();
  void* const memory = memory_.take(known->bytes);
  if (!memory) return false;
  kept_bytes_ += known->bytes;
  known->routine = new (memory) code::Routine(read);
  known->routine->keep(known->routine + 1);
  return true;
}

void SourceLoops::mark_loud_calls() {
  const trace::Scratchpad<uint64_t> returns(most_returns);
  if (!returns) return forget_routines();
  for (uint32_t i = 0; i < known_count_; ++i) {
    if (!known_[i].good) continue;
    known_[i].routine->mark_loud(returns.get(), returns_in(known_[i], returns.get(), 0, false));
  }
}

const SourceLoops::Known* SourceLoops::routine_at(uint64_t begin, uint64_t address) {
  for (uint32_t i = 0; i < known_count_; ++i) {
    if (known_[i].begin != begin) continue;
    known_[i].used = ++uses_;
    return known_[i].good ? &known_[i] : nullptr;
  }
  const Known* k = read(begin + 1, address + 1, nullptr);
  return k && k->good ? k : nullptr;
}

// Whether a routine's last calls, made jumps, lead to another one. Reading one may make room by another: nothing of
// `known` is used after that. `any`: a jump to somewhere may be one.
bool SourceLoops::tail_calls(const Known& known, uint64_t from_return, uint64_t routine, bool any, unsigned depth) {
  uint64_t targets[16];
  const uint64_t bias = known.bias;
  const uint32_t n = known.routine->tail_calls(from_return, targets, sizeof(targets) / sizeof(targets[0]));
  for (uint32_t i = 0; i < n; ++i) {
    if (targets[i] ? targets[i] == routine : any) return true;
  }
  for (uint32_t i = 0; i < n && depth > 1; ++i) {
    const Known* next = targets[i] ? routine_at(targets[i] - bias, targets[i]) : nullptr;
    if (next && tail_calls(*next, 0, routine, any, depth - 1)) return true;
  }
  return false;
}

// Whether the call that returns to the context's frame is that routine's, so that it made way for any other that was
// reached by the call.
bool SourceLoops::calls_directly(uint32_t context, const Known& called) const {
  uint64_t address = 0;
  if (!has_code(context) || !places_.address(places_.self, t_.contexts[context].frame, &address)) return false;
  return code::called_routine(places_.map, address) == called.begin + called.bias;
}

// Whether its routine's code makes the call in no loop. Of two routines that it leads to one after the other, the first
// then made way for the second, rather than a whole iteration of some loop further out having shown no other call.
bool SourceLoops::calls_once(uint32_t context) {
  if (!has_code(context)) return false;
  const uint64_t frame = t_.contexts[context].frame;
  const Known* const caller = routine_of(frame);
  return caller && !caller->routine->loop_of(frame + caller->bias);
}

// --- Loops by number ---

uint32_t SourceLoops::number(const LiveLoop& loop) {
  const uint64_t hash = trace::mix(trace::mix(0x100b, loop.header), loop.context);
  const uint32_t found = map_.find(hash);
  if (found && t_.loops[found].header == loop.header && t_.loops[found].context == loop.context) return found;
  LiveLoop* l = t_.loops.append();
  if (!l) return 0;
  *l = loop;
  map_.put(hash, t_.loops.size() - 1);
  return t_.loops.size() - 1;
}

uint32_t SourceLoops::number(uint32_t context, const Known& known, uint32_t loop) {
  LiveLoop l{};
  l.header = known.routine->header(loop) - known.bias;
  l.last = known.routine->latch(loop) - known.bias;
  l.context = context;
  const uint32_t outer = known.routine->outer(loop);
  l.outer = outer ? number(context, known, outer) : innermost(context);
  return number(l);
}

// The result for a context, initially 0; nullptr: no room to keep it.
uint32_t* SourceLoops::known_of(uint32_t context) {
  if (t_.context_loops.size() <= context) {
    if (!t_.context_loops.ensure(context + 1)) return nullptr;
    t_.context_loops.append_zeroed(context + 1 - t_.context_loops.size());
  }
  return &t_.context_loops[context];
}

bool SourceLoops::opaque(uint32_t context) {
  uint32_t* known = known_of(context);
  if (!known) return false;
  if (!*known && places_.opaque && places_.opaque(places_.self, t_.contexts[context].frame)) *known = opaque_context;
  return *known == opaque_context;
}

bool SourceLoops::sees(uint32_t site) {
  if (site >= t_.sites.size()) return false;
  uint32_t c = t_.sites[site].context;
  for (; has_code(c); c = t_.contexts[c].parent) {
    if (opaque(c)) return false;
  }
  return c == trace::context_begin;
}

uint32_t SourceLoops::innermost(uint32_t context) {
  if (!has_code(context)) return 0;
  const uint32_t* kept = known_of(context);
  if (kept && *kept && *kept != opaque_context) return *kept - 1;
  const LiveContext c = t_.contexts[context];
  if (opaque(context)) return innermost(c.parent);
  const Known* routine = routine_of(c.frame);
  if (!routine) {
    // By order: the shortest of the loops around it. Their ends are not final.
    const uint32_t outer = innermost(c.parent);
    uint32_t best = outer;
    for (uint32_t l = 1; l < t_.loops.size(); ++l) {
      const LiveLoop& loop = t_.loops[l];
      if (loop.context != c.parent || !loop.by_order || c.frame < loop.header || c.frame > loop.last) continue;
      if (best == outer || loop.last - loop.header < t_.loops[best].last - t_.loops[best].header) best = l;
    }
    return best;
  }
  const uint32_t loop = routine->routine->loop_of(c.frame + routine->bias);
  const uint32_t found = loop ? number(c.parent, *routine, loop) : innermost(c.parent);
  if (uint32_t* keep = known_of(context)) *keep = found + 1;
  return found;
}

// It begins at the address that control went back to, and reaches as far as the furthest address that control came back
// from.
uint32_t SourceLoops::number_by_order(uint32_t context, uint64_t from, uint64_t to) {
  LiveLoop l{};
  l.header = to;
  l.context = context;
  l.by_order = 1;
  const uint32_t loop = number(l);
  if (!loop) return 0;
  LiveLoop& made = t_.loops[loop];
  if (from > made.last) made.last = from;
  made.outer = innermost(context);
  for (uint32_t i = 1; i < t_.loops.size(); ++i) {  // the shortest that holds it
    LiveLoop& other = t_.loops[i];
    if (i == loop || other.context != context || !other.by_order) continue;
    const auto holds = [](const LiveLoop& a, const LiveLoop& b) {
      return a.header <= b.header && a.last >= b.last && a.last - a.header > b.last - b.header;
    };
    const auto nearer = [&](LiveLoop* inner, uint32_t outer) {
      const LiveLoop& now = t_.loops[inner->outer];
      const LiveLoop& next = t_.loops[outer];
      if (now.context != context || !now.by_order || next.last - next.header < now.last - now.header)
        inner->outer = outer;
    };
    if (holds(other, made)) nearer(&made, i);
    if (holds(made, other)) nearer(&other, loop);
  }
  take_in(loop);
  return loop;
}

// Inner loops repeat first. Those in routines that the loop calls, directly or not, were therefore taken to lie in
// what is around it.
void SourceLoops::take_in(uint32_t loop) {
  const LiveLoop& made = t_.loops[loop];
  for (uint32_t i = 1; i < t_.loops.size(); ++i) {
    LiveLoop& other = t_.loops[i];
    if (i == loop || other.outer != made.outer || other.context == made.context) continue;
    for (uint32_t c = other.context; has_code(c); c = t_.contexts[c].parent) {
      const LiveContext& at = t_.contexts[c];
      if (at.parent != made.context) continue;
      if (at.frame >= made.header && at.frame <= made.last) other.outer = loop;
      break;
    }
  }
}

// --- Which loop repeated ---

// A statement that reads a list, or closes a file, is one call of the language's run-time library, which reads and
// writes as often as it likes. How often such a statement was reached is not visible. A stream that is closed by way of
// its table of functions shows no name: but one instruction calls different functions of libc only by way of others.
bool SourceLoops::may_be_one_call(uint32_t from_site, uint32_t to_site) {
  const uint32_t context = t_.sites[from_site].context;
  if (context != t_.sites[to_site].context || !has_code(context)) return false;
  const uint32_t from = t_.sites[from_site].function, to = t_.sites[to_site].function;
  if (from != to && is_on_file(from) && is_on_file(to)) return true;
  return calls_run_time_library(context);
}

bool SourceLoops::calls_run_time_library(uint32_t context) {
  uint64_t address = 0;
  if (!places_.address || !places_.address(places_.self, t_.contexts[context].frame, &address)) return false;
  return code::calls_run_time_library(places_.map, address);
}

// Whether the loops around a call were found in code that cannot be read now: that of a process that was killed.
bool SourceLoops::found_before(uint32_t context) const {
  return !reads_code() && has_code(context) && context < t_.context_loops.size() && t_.context_loops[context] &&
         t_.context_loops[context] != opaque_context;
}

// The same routine makes both calls. `back`: the second one has no higher address.
uint32_t SourceLoops::repeated_as_found(const Meeting& m, bool back) {
  const uint32_t from = innermost(m.from);
  for (uint32_t l = innermost(m.to); l && t_.loops[l].context == m.context; l = t_.loops[l].outer) {
    if (within(from, l)) return back ? l : 0;
  }
  return back ? innermost(m.context) : 0;
}

uint32_t SourceLoops::repeated(uint32_t from_site, uint32_t to_site) {
  Meeting m;
  if (!meet(from_site, to_site, &m)) return 0;
  if (may_be_one_call(from_site, to_site)) return 0;
  const uint64_t from = t_.contexts[m.from].frame, to = t_.contexts[m.to].frame;
  const auto has = [](const Known* k, uint64_t frame) { return k && k->routine->knows(frame + k->bias); };
  const Known* known = routine_of(to);
  if (!has(known, from)) known = routine_of(from);
  if (has(known, from) && has(known, to)) {
    uint32_t loop = 0;
    switch (known->routine->way(from + known->bias, to + known->bias, &loop)) {
      case code::Routine::Way::onward:
        return 0;
      case code::Routine::Way::back:
        return number(m.context, *known, loop);
      case code::Routine::Way::out:
        break;
    }
  } else if (const Known* other = routine_of(to); known && other) {
    constexpr unsigned most_jumps = 3;
    const uint64_t routine = other->begin + other->bias;
    const Pin pinned(*known);
    const bool any = calls_directly(m.context, *known) || calls_once(m.context);
    if (tail_calls(*known, from + known->bias, routine, any, most_jumps)) return 0;
  } else {
    const bool comparable = m.context >= trace::context_begin && from >> 48 == to >> 48;
    if (found_before(m.from) && found_before(m.to)) return repeated_as_found(m, comparable && to <= from);
    if (comparable && to <= from) return number_by_order(m.context, from, to);
    if (comparable) return 0;
  }
  return innermost(m.context);  // left, and entered again
}

}  // namespace leadline::recording
