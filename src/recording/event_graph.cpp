#include "recording/event_graph.hpp"

#include "trace/scratchpad.hpp"

namespace leadline::recording {

namespace {

// Salts for the kinds of entries in a thread's one map.
enum : uint64_t { by_context = 1, by_shape_context = 2, by_key = 3, by_beside_graph = 4 };

constexpr uint32_t strikes_to_wild = 8;

// The most bytes that the places of failed polls may take in total.
constexpr uint64_t poll_bytes = 16384;

// A table counts as nearly full long before it is: successive calls need not ask each time.
constexpr uint64_t steps_between_checks = 255;

uint64_t hash_shape(const trace::Key& k) {
  return trace::mix(trace::mix(0x8f1bbcdc, k.site), uint64_t{k.comm} << 32 | k.datatype);
}

uint64_t hash_key(const trace::Key& k) {
  uint64_t w[5];
  __builtin_memcpy(w, &k, sizeof(w));
  return trace::mix(trace::mix(trace::mix(trace::mix(trace::mix(0x5a827999, w[0]), w[1]), w[2]), w[3]), w[4]);
}

}  // namespace

struct EventGraph::Hashes {
  uint64_t key, context, shape, shape_context;
};

// Hashes the event and the eight latest with it.
EventGraph::Hashes EventGraph::hashes_with(const trace::Key& key) const {
  Hashes at{hash_key(key), 0, hash_shape(key), 0};
  for (uint64_t i = h_->steps - 8; i != h_->steps; ++i) {
    const Position& p = positions_[recent_of(h_)[i & (recent_positions - 1)]];
    at.context = (at.context << 8) + p.hash;
    at.shape_context = (at.shape_context << 8) + p.shape;
  }
  at.context = (at.context << 8) + static_cast<uint32_t>(at.key);
  at.shape_context = (at.shape_context << 8) + static_cast<uint32_t>(at.shape);
  return at;
}

uint32_t EventGraph::create(const trace::Key& key, uint16_t mode) {
  const uint32_t index = positions_.size();
  learns();
  if (!positions_.ensure(index + 1) || !raw_.ensure(index + 1) || !folded_.ensure(index + 1) ||
      !amounts_.ensure(index + 1)) {
    return 0;
  }
  Position* p = positions_.append();
  raw_.append();
  __builtin_memset(static_cast<void*>(folded_.append()), 0, sizeof(FoldedTimes));
  *amounts_.append() = 0;
  *p = Position{
      key, 0, 0, index & 7, mode, 0, static_cast<uint32_t>(hash_key(key)), static_cast<uint32_t>(hash_shape(key))};
  series_.created(index);
  return index;
}

uint64_t EventGraph::visits(uint32_t index) const { return visits_of(positions_[index], index, folded_[index]); }

void EventGraph::fold_batch(uint32_t index) {
  Position& p = positions_[index];
  const unsigned first = p.visits == 8 ? index & 7 : 0;
  if (p.visits == 0 && series_.marked(p)) {
    const RawTimes& raw = raw_[index];
    fold(&folded_[index], raw, 7, 8, scale_);
    p.visits = anchor_mark;
    return series_.anchor_visited(index, raw.duration[7], raw.gap[7]);
  }
  if (p.visits == 0) p.visits = 8;  // after 2^32 visits: still past the first batch
  const Batch batch = fold(&folded_[index], raw_[index], first, 8, scale_);
  series_.folded(index, raw_[index]);
  series_.look();
  if (__builtin_expect(h_->steps >= settle_at_, 0)) settle();
  if (series_.due(index)) series_.several_iterations(index, raw_[index].duration[7], raw_[index].gap[7]);
  const bool at_once = batch.longest_gap < short_gap_ticks && batch.durations < short_call_ticks * uint64_t{8 - first};
  if (p.usual_gap == never_assume) return;
  p.usual_gap = at_once ? static_cast<uint16_t>(batch.gaps / (8 - first) + 1) : 0;
}

// Both stamps from now on, permanently if long visits recur regularly: the program computes there, which must not count
// as part of the call.
void EventGraph::long_call(uint32_t index, Position& p) {
  FoldedTimes& f = folded_[index];
  const uint32_t distance = p.visits - f.last_long;
  if (p.usual_gap != never_assume) p.usual_gap = distance == f.long_distance ? never_assume : 0;
  f.long_distance = distance;
  f.last_long = p.visits;
}

void EventGraph::time_long(uint32_t index, Position& p, uint64_t duration, uint64_t gap) {
  fold_one(&folded_[index], scale_.ns(duration), scale_.ns(gap));
  series_.long_call(index, duration, gap);
  if (p.visits == anchor_mark) series_.anchor_visited(index, duration, gap);
}

void EventGraph::record_time(uint32_t index, uint64_t duration, uint64_t gap) {
  const bool watched = series_.watches();
  if (watched) series_.append(positions_[index].mode == trace::mode_times_only ? 0 : index, duration, gap);
  if (index) time(index, positions_[index], duration, gap);
  if (watched) series_.check();
}

uint32_t EventGraph::find_exact(const trace::Key& key, const Hashes& at) const {
  const uint32_t alt = positions_[h_->graph.current].alt;
  if (alt && same(positions_[alt].key, key)) return alt;
  const uint32_t found = map_.find(trace::mix(by_context, at.context));
  return found && same(positions_[found].key, key) ? found : 0;
}

// A position of the same shape that takes any parameters, or that begins to do so now because its events were new each
// time.
uint32_t EventGraph::find_shape(const trace::Key& key, const Hashes& at, uint32_t* strikes) {
  const Position& here = positions_[h_->graph.current];
  const uint32_t candidates[3] = {here.next, here.alt, map_.find(trace::mix(by_shape_context, at.shape_context))};
  for (const uint32_t c : candidates) {
    if (!c || !same_shape(positions_[c].key, key)) continue;
    if (positions_[c].mode >= trace::mode_first_wild) return c;
    if (positions_[c].mode > trace::mode_max_strikes) continue;
    if (positions_[c].mode + 1u >= strikes_to_wild && make_wild(c)) return c;
    // Missed from here: a strike. Never seen at all: the iterations of a loop whose parameters vary, or so many
    // different calls in a row (fields one after the other, tags by number) that will come again. What tells them apart
    // is how many there are, so a short body may come many times before it counts.
    bool strike = true;
    if (c != here.next && c != here.alt) {
      const uint32_t body = positions_.size() - c;
      const uint32_t most = body <= 8 ? 12288 : 4096;  // positions before parameters are taken to vary
      const uint32_t iterations = most / (strikes_to_wild * body);
      strike = iterations <= 1 || (positions_.size() / body) % iterations == 0;
    }
    const uint32_t now = positions_[c].mode + (strike ? 1u : 0u);
    if (now > *strikes) *strikes = now;
  }
  return 0;
}

bool EventGraph::make_wild(uint32_t index) {
  WildPosition* w = wild_.append();
  if (!w) return false;
  Position& p = positions_[index];
  *w = WildPosition{p.key, p.key, visits(index)};
  if (p.visits == anchor_mark && !series_.follows_source()) p.visits = 8;  // no longer an anchor; nothing pending
  p.mode = static_cast<uint16_t>(trace::mode_first_wild + wild_.size() - 1);
  p.key.value = poison;
  p.hash = p.shape;
  return true;
}

void EventGraph::vary(uint32_t index, const trace::Key& key) {
  trace::Key& last = wild_[positions_[index].mode - trace::mode_first_wild].last;
  trace::Variation v{};
  v.position = index;
  v.count = trace::wrapping_difference(key.count, last.count);
  v.value = trace::wrapping_difference(key.value, last.value);
  v.peer = static_cast<int32_t>(static_cast<uint32_t>(key.peer) - static_cast<uint32_t>(last.peer));
  v.tag = static_cast<int32_t>(static_cast<uint32_t>(key.tag) - static_cast<uint32_t>(last.tag));
  v.extra = static_cast<int32_t>(key.extra - last.extra);
  last = key;
  variations_.add(v);
}

// Adds the predicted call, whose parameters may vary.
void EventGraph::add_wild(uint32_t index, const trace::Key& key, uint64_t duration, uint64_t gap) {
  const bool told = h_->graph.current == trace::root_position;
  if (told) passes(key.site, true);
  if (told && series_.crosses()) series_.mark(index);
  follow(index);
  vary(index, key);
  record_time(index, duration, gap);
  if (told) series_.passed(index, duration, gap);
  if ((h_->steps & steps_between_checks) == 0) turn_if_full();
}

void EventGraph::miss(const trace::Key& key, uint64_t duration, uint64_t gap) {
  ++h_->misses;
  const uint32_t predicted = positions_[h_->graph.current].next;
  if (predicted && positions_[predicted].mode >= trace::mode_first_wild && same_shape(positions_[predicted].key, key)) {
    follow(predicted);
    return arrive(predicted, key, duration, gap);
  }
  const Hashes at = hashes_with(key);
  uint32_t strikes = 0;
  uint32_t target = find_exact(key, at);
  bool known = target != 0;
  if (!target) {
    target = find_shape(key, at, &strikes);
    known = target != 0;
  }
  if (!target) {
    if (predicted && GiveUp::unexplained(&h_->graph, h_->graph.run)) {
      begin_literals();
      return add_literal(key, duration, gap);
    }
    if (positions_.size() < capacity::graph_positions) {
      target = create(key, static_cast<uint16_t>(strikes < 15 ? strikes : 15));
    }
    if (!target) {
      h_->graph.literals_left = GiveUp::longest;
      begin_literals();
      add_literal(key, duration, gap);
      if (events_of(*h_) > 8ull * capacity::graph_positions) turn_.full(turn_.self);  // starts afresh
      return;
    }
    map_.put(trace::mix(by_context, at.context), target);
    map_.put(trace::mix(by_shape_context, at.shape_context), target);
    if (!map_.find(trace::mix(by_key, at.key))) map_.put(trace::mix(by_key, at.key), target);
  }
  jump(target, known);
  arrive(target, key, duration, gap);
  turn_if_full();
}

void EventGraph::jump(uint32_t target, bool known) {
  GraphState& g = h_->graph;
  Position& here = positions_[g.current];
  passes(positions_[target].key.site, here.next && here.next != target);
  if (!here.next) {
    here.next = target;
    ++g.run;
  } else if (here.next == target) {  // became wild just now
    ++g.run;
  } else {
    if (known) GiveUp::explained(&g, g.run);
    here.alt = target;
    const trace::Token token{g.run, target, 0};
    g.run = 0;
    tokens_.add(token);
  }
  step(target);
}

void EventGraph::passes(uint32_t to_site, bool told) {
  const uint32_t known = loops_.transitions.size();
  const uint32_t current = h_->graph.current, number = loops_.transitions.of(site_before(), to_site);
  if (loops_.transitions.size() > known) {
    learns();
    const uint64_t quiet = h_->steps + quiet_steps;
    settle_at_ = quiet < settle_limit_ ? quiet : settle_limit_;
  }
  if (current == trace::root_position) {
    told = true;
  } else if (told) {
    ++amounts_[current];
  }
  if (told && number) ++loops_.transitions[number].times;
  series_.passes(number);
}

// Finds the loops of the ways that control went so far, while the code is there: the process may be killed. Where new
// ways turn up all the time, this is done ever more rarely.
void EventGraph::settle() {
  settle_at_ = UINT64_MAX;
  settle_limit_ = 2 * h_->steps + 4 * quiet_steps;
  series_.settle_loops();
}

// Saves the transitions that a generation's positions imply, before the positions are cleared.
void EventGraph::keep_transitions() {
  for_each_walked(*h_, reinterpret_cast<const char*>(h_), [&](uint32_t from, uint32_t to, uint64_t times) {
    if (const uint32_t t = loops_.transitions.find(from, to)) loops_.transitions[t].times += times;
  });
}

// Every transition finds its loop now, while the code is there.
void EventGraph::finish() {
  for (uint32_t i = 1; i < loops_.transitions.size(); ++i) loops_.repeated(i);
  mark_silent();
  for (uint32_t s = 1; s < h_->sites.used; ++s) loops_.source.around(s), loops_.source.sees(s);
  loops_.source.forget();
}

// Marks the loops that may have begun an iteration without a call that shows it.
void EventGraph::mark_silent() {
  constexpr uint32_t enough = 2000;
  const uint32_t transitions = loops_.transitions.size(), sites = h_->sites.used;
  const trace::Scratchpad<uint8_t> vain(sites), loud(loops_.source.contexts());
  const auto each = [&](auto visit) {
    for (uint32_t i = 1; i < transitions && i < enough; ++i)
      visit(loops_.transitions[i].from, loops_.transitions[i].to);
  };
  const bool know_quiet = vain && loud && transitions < enough;
  if (know_quiet) {
    if (!h_->unordered) {
      for (uint32_t s = 1; s < sites; ++s) vain[s] = 1;
      each([&](uint32_t from, uint32_t to) {
        if (from < sites) vain[from] = 0;
        if (to < sites) vain[to] = 0;
      });
    }
    loops_.source.begin_silence(vain.get(), loud.get());
    each([&](uint32_t from, uint32_t to) { loops_.source.learn_quiet(from, to); });
    loops_.source.end_learning();
  }
  each([&](uint32_t from, uint32_t to) { loops_.source.mark_silent(from, to); });
  if (!know_quiet) return;
  const trace::Scratchpad<uint8_t> sure(loops_.source.contexts());
  if (sure && loops_.source.hush_files(vain.get(), sure.get())) {
    each([&](uint32_t from, uint32_t to) {
      if (!loops_.source.on_file(from) && !loops_.source.on_file(to)) loops_.source.mark_silent(from, to);
    });
  }
  loops_.source.forget();
}

// The next event comes from no position.
void EventGraph::leave_walk() {
  GraphState& g = h_->graph;
  if (g.current == trace::root_position) return;
  h_->left_site = positions_[g.current].key.site;
  ++amounts_[g.current];
  g.current = trace::root_position;
}

// The effects of a visit besides the walk itself.
void EventGraph::arrive(uint32_t index, const trace::Key& key, uint64_t duration, uint64_t gap) {
  Position& p = positions_[index];
  if (p.mode >= trace::mode_first_wild) vary(index, key);
  if (series_.crosses()) series_.mark(index);
  record_time(index, duration, gap);
  series_.passed(index, duration, gap);
  if (p.mode >= trace::mode_first_wild && variations_.nearly_full()) turn_if_full();
}

void EventGraph::begin_polls(uint32_t number, uint64_t duration, uint64_t gap) {
  PollCounts& p = h_->polls;
  if (h_->unordered) {
    ++p.ended;
    return;
  }
  p.run_first = number;
  p.run_gap = gap;
  p.run_ticks = duration;
  p.run = 1;
  h_->unusual |= unusual_polls;
  series_.polls_begin();
}

// An event follows.
void EventGraph::end_polls() {
  h_->unusual &= ~unusual_polls;
  const uint64_t ticks = h_->polls.run_ticks, gap = h_->polls.run_gap;
  const bool watched = series_.watches();
  const bool placed = polls_.end_run(watched ? series_.room_for_polls(poll_bytes) : poll_bytes);
  if (watched) placed ? series_.append(trace::poll_position, ticks, gap) : series_.skip_polls(gap + ticks);
  if (polls_.nearly_full()) turn_.full(turn_.self);
}

void EventGraph::add_unusual(const trace::Key& key, uint64_t duration, uint64_t gap) {
  h_->unusual &= ~unusual_begin;
  if (h_->unusual & unusual_polls) end_polls();
  if (!(h_->unusual & unusual_irregular)) return add_regular(key, duration, gap);
  if (h_->unordered) return add_unordered(key, duration, gap);
  add_literal(key, duration, gap);
}

// The work of add(), with an entry in the series.
void EventGraph::add_regular(const trace::Key& key, uint64_t duration, uint64_t gap) {
  const uint32_t predicted = positions_[h_->graph.current].next;
  Position& p = positions_[predicted];
  if (same(p.key, key)) {
    const bool told = h_->graph.current == trace::root_position;
    if (told) passes(key.site, true);
    if (told && series_.crosses()) series_.mark(predicted);
    follow(predicted);
    record_time(predicted, duration, gap);
    if (told) series_.passed(predicted, duration, gap);
    return;
  }
  if (p.mode >= trace::mode_first_wild && same_shape(p.key, key)) return add_wild(predicted, key, duration, gap);
  miss(key, duration, gap);
}

void EventGraph::begin_literals() {
  GraphState& g = h_->graph;
  const trace::Token token{g.run, trace::literal_target, 0};
  g.run = 0;
  leave_walk();
  g.last_literal = 0;
  h_->literal_repeats = 0;
  h_->unusual |= unusual_irregular;
  tokens_.add(token);
}

// Literals: a byte (bit 0: last of its block; bits 1-2: kind), then 0: a position's number, 1: a mask of the fields
// that differ from the literal before and their differences, 2: how many more times the literal before happened.
void EventGraph::add_literal(const trace::Key& key, uint64_t duration, uint64_t gap) {
  GraphState& g = h_->graph;
  const uint64_t hash = hash_key(key);
  uint32_t known = map_.find(trace::mix(by_key, hash));
  if (known && !same(positions_[known].key, key)) known = 0;
  if (!known && timed_site_ != key.site) {
    timed_site_ = key.site;
    timed_ = beside_graph(trace::Key{.site = key.site, .peer = trace::peer_none}, trace::mode_times_only);
  }
  const bool repeated = g.last_literal && same(h_->previous_literal, key);
  if (repeated) {
    ++h_->literal_repeats;
    ++h_->repeats;
  } else {
    recent_of(h_)[h_->steps++ & (recent_positions - 1)] = known;
  }
  passes(key.site, true);
  h_->left_site = key.site;
  if (known) ++amounts_[known];  // its visit does not tell what follows
  record_time(known ? known : timed_, duration, gap);
  series_.passed(known, duration, gap);  // the entry of a literal without a position belongs to no position
  if (repeated) return;
  put_repeats();
  uint8_t* begin = literals_.room(2 + 8 * trace::max_varint_bytes);
  if (!begin) {
    literals_.overflow();
    __atomic_fetch_add(order_lost_, 1, __ATOMIC_RELAXED);  // of all threads
    return;
  }
  g.last_literal = literals_.size() + 1;
  uint8_t* p = begin + 1;
  if (known) {
    *begin = 0 << 1;
    p = trace::put_varint(p, known);
  } else {
    *begin = 1 << 1;
    const trace::Key& b = h_->previous_literal;
    uint8_t* mask = p++;
    *mask = 0;
    const auto field = [&](uint8_t bit, int64_t now, int64_t before) {
      if (now == before) return;
      *mask |= bit;
      p = trace::put_signed(p, trace::wrapping_difference(now, before));
    };
    field(1, key.site, b.site);
    field(2, key.comm, b.comm);
    field(4, key.count, b.count);
    field(8, key.peer, b.peer);
    field(16, key.tag, b.tag);
    field(32, key.datatype, b.datatype);
    field(64, key.extra, b.extra);
    field(128, key.value, b.value);
  }
  literals_.advance(p);
  h_->previous_literal = key;
  if (--g.literals_left == 0) end_literal_block();
  if ((h_->steps & steps_between_checks) == 0) turn_if_full();
}

void EventGraph::put_repeats() {
  if (!h_->literal_repeats) return;
  if (uint8_t* p = literals_.room(1 + trace::max_varint_bytes)) {
    h_->graph.last_literal = literals_.size() + 1;
    *p = 2 << 1;
    literals_.advance(trace::put_varint(p + 1, h_->literal_repeats));
  } else {
    literals_.overflow();
    __atomic_fetch_add(order_lost_, h_->literal_repeats, __ATOMIC_RELAXED);
  }
  h_->literal_repeats = 0;
}

void EventGraph::end_literal_block() {
  literals_[h_->graph.last_literal - 1] |= 1;
  h_->graph.last_literal = 0;
  h_->previous_literal = trace::Key{};
  h_->unusual &= ~unusual_irregular;
  h_->unusual |= unusual_begin;  // the next event is looked at, since the walk has no position before it
}

// A position beside the graph.
uint32_t EventGraph::beside_graph(const trace::Key& key, uint16_t mode) {
  const uint64_t hash = trace::mix(trace::mix(by_beside_graph, mode), hash_key(key));
  const uint32_t found = map_.find(hash);
  if (found && positions_[found].mode == mode && same(positions_[found].key, key)) return found;
  const uint32_t made = create(key, mode);
  if (made) map_.put(hash, made);
  return made;
}

// Beyond the budget: exact counts and bytes by site, partner and size, no order.
void EventGraph::add_unordered(const trace::Key& key, uint64_t duration, uint64_t gap) {
  ++h_->repeats;
  __atomic_fetch_add(order_lost_, 1, __ATOMIC_RELAXED);  // of all threads
  leave_walk();
  passes(key.site, true);
  h_->left_site = key.site;
  trace::Key k = key;
  k.tag = 0;
  uint32_t index = 0;
  if (positions_.size() < capacity::graph_positions / 2 && bytes_in_use() < room_ / 2)
    index = beside_graph(k, trace::mode_bag);
  if (!index) {
    __atomic_fetch_add(coarse_, 1, __ATOMIC_RELAXED);
    k.extra = 0;
    k.count = key.count > 0 ? 63 - __builtin_clzll(static_cast<uint64_t>(key.count)) : 0;
    k.value = key.value > 0 ? 1 : key.value;
    if (positions_.size() + capacity::sites < capacity::positions && bytes_in_use() < room_)
      index = beside_graph(k, trace::mode_bag_coarse);
    if (!index && positions_.size() + capacity::sites < capacity::positions && bytes_in_use() < 2 * room_) {
      k.count = 0;  // messages by partner, of any size
      index = beside_graph(k, trace::mode_bag_coarse);
    }
    if (!index)
      index = beside_graph(trace::Key{.site = key.site, .peer = trace::peer_none, .value = k.value},
                           trace::mode_bag_coarse);
    if (index) amounts_[index] += key.value > 0 ? key.value : key.count;
  }
  if (index) time(index, positions_[index], duration, gap);
  series_.passed(index, duration, gap);
}

void EventGraph::turn_if_full() {
  const bool full = literals_.nearly_full() || tokens_.nearly_full() || variations_.nearly_full();
  if (full || ((h_->misses & 15) == 0 && bytes_in_use() > room_ / 8)) turn_.full(turn_.self);
}

}  // namespace leadline::recording
