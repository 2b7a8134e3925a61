// The graph of a thread's events (graph.hpp explains the prediction) and the features that only events have: times per
// position, parameters that vary, literals that refer to known positions, and the loss of order once the budget is
// spent. Failed polls are not events and are kept beside it (polls.hpp). live.hpp lays out the state in memory.
#pragma once

#include "recording/live.hpp"
#include "recording/polls.hpp"
#include "recording/series_log.hpp"

namespace leadline::recording {

class EventGraph {
 public:
  // `full` is called when the generation is full: it encodes the region, then calls reset(). `learns`, where it is
  // given: the event at hand takes longer than others, since something is seen for the first time.
  struct Turn {
    void (*full)(void* self) = nullptr;
    void* self = nullptr;
    void (*learns)(void* self) = nullptr;
  };

  void attach(ThreadHeader* header, char* region, Backing backing, uint64_t* order_lost, uint64_t* coarse, Turn turn);
  // Begins an empty generation. `unordered`: from now on calls are only counted and timed.
  void reset(bool unordered);
  // Goes on without order in this generation, keeping what it counted.
  void stop_ordering() {
    series_.stop();
    h_->unordered = 1;
    h_->unusual |= unusual_irregular;
  }
  void set_scale(TickScale scale) {
    scale_ = scale;
    polls_.set_scale(scale);
    series_.set_scale(scale);
  }
  SeriesLog& series() { return series_; }
  // Where to find the machine code that the loops of the source are read from.
  void set_places(const CodePlaces& places) { loops_.source.set_places(places); }
  // Of control that goes from one site to another: which loop that repeats, 0 for none, if it is known otherwise.
  void know_step(uint32_t from, uint32_t to, uint32_t loop) {
    const uint32_t number = loops_.transitions.of(from, to);
    if (!number || loops_.transitions[number].state == Transition::classified) return;
    loops_.transitions[number].repeats = loop;
    loops_.transitions[number].state = Transition::classified;
  }
  // Settles which way control went so far: call this before a trace is encoded.
  void finish();
  // Other code may have replaced unloaded code.
  void forget_code() { loops_.source.forget_code(); }
  // Bytes that its tables may hold without order; with order the generation is full at an eighth of that.
  void set_room(uint64_t bytes) { room_ = bytes; }

  // One event: its key, the call's duration, and the time since the end of the previous call (ticks).
  inline void add(const trace::Key& key, uint64_t duration, uint64_t gap) {
    if (__builtin_expect(h_->unusual, 0)) return add_unusual(key, duration, gap);
    const uint32_t predicted = positions_[h_->graph.current].next;
    Position& p = positions_[predicted];
    if (__builtin_expect(!same(p.key, key), 0)) {
      if (p.mode >= trace::mode_first_wild && same_shape(p.key, key)) return add_wild(predicted, key, duration, gap);
      return miss(key, duration, gap);
    }
    follow(predicted);
    time(predicted, p, duration, gap);
  }

  // A poll that found or completed nothing: not an event.
  inline void add_poll(uint32_t site, uint64_t duration, uint64_t gap) {
    const uint32_t number = polls_.count(site, duration, gap);
    series_.gap_before_poll(gap);
    PollCounts& p = h_->polls;
    if (__builtin_expect(p.run == 0, 0)) return begin_polls(number, duration, gap);
    ++p.run;
    p.run_ticks += gap + duration;
  }

  // Time stamps are the dearest part of recording a call (10 to 20 ns each). Where the predicted call has lately been
  // short and come at once after the one before it, seven of eight visits do without the stamp at its begin: the gap is
  // taken to be the usual one. 0: stamp the begin.
  inline uint32_t assumed_gap(uint32_t site) const {
    const Position& p = positions_[positions_[h_->graph.current].next];
    const bool assume = p.key.site == site && (p.visits & 7) != 0 && p.usual_gap != never_assume &&
                        !(h_->unusual & (unusual_irregular | unusual_exact | unusual_begin | unusual_polls));
    return assume ? p.usual_gap : 0;
  }
  // After a call whose recording does not matter of nanoseconds (a collective above all), and after a region begins or
  // ends, the next one has both stamps: what a program does in some steps only, it mostly does there.
  inline void stamp_next() {
    const Position& p = positions_[positions_[h_->graph.current].next];
    if (p.usual_gap != 0 && p.usual_gap != never_assume) h_->unusual |= unusual_begin;
  }
  // The predicted call's last duration, in ticks.
  uint32_t last_duration() const {
    const uint32_t predicted = positions_[h_->graph.current].next;
    return raw_[predicted].duration[(positions_[predicted].visits - 1) & 7];
  }

  // Interned list of words for Key::extra; the same list gives the same number. May end the generation.
  uint32_t intern(const int64_t* words, uint32_t count);

 private:
  // A value that equals no event, so that add() leaves the position to miss().
  static constexpr int64_t poison = INT64_MIN;

  // Includes its times and its places in the map.
  static constexpr uint64_t bytes_per_position =
      sizeof(Position) + sizeof(RawTimes) + sizeof(FoldedTimes) + sizeof(int64_t) + 128;

  // Field by field, as the recorder has just written them: a wider load would have to wait for the stores to retire.
  static bool same(const trace::Key& a, const trace::Key& b) {
    const uint64_t narrow = (a.site ^ b.site) | (a.comm ^ b.comm) | (a.datatype ^ b.datatype) | (a.extra ^ b.extra) |
                            static_cast<uint32_t>(a.peer ^ b.peer) | static_cast<uint32_t>(a.tag ^ b.tag);
    return (narrow | static_cast<uint64_t>(a.count ^ b.count) | static_cast<uint64_t>(a.value ^ b.value)) == 0;
  }
  static bool same_shape(const trace::Key& a, const trace::Key& b) {
    return a.site == b.site && a.comm == b.comm && a.datatype == b.datatype;
  }
  void learns() {
    if (turn_.learns) turn_.learns(turn_.self);
  }
  inline void step(uint32_t index) {
    h_->graph.current = index;
    recent_of(h_)[h_->steps++ & (recent_positions - 1)] = index;
  }
  inline void follow(uint32_t index) {
    ++h_->graph.run;
    step(index);
  }
  inline void time(uint32_t index, Position& p, uint64_t duration, uint64_t gap) {
    if (__builtin_expect((duration | gap) >> 32 != 0, 0)) return time_long(index, p, duration, gap);
    RawTimes& raw = raw_[index];
    const uint32_t slot = p.visits++ & 7;
    raw.duration[slot] = static_cast<uint32_t>(duration);
    raw.gap[slot] = static_cast<uint32_t>(gap);
    if (slot == 7) fold_batch(index);
    if (__builtin_expect(duration > long_call_ticks, 0)) long_call(index, p);
  }

  // Off the fast path: with an entry in the series, where the thread is watched.
  void record_time(uint32_t index, uint64_t duration, uint64_t gap);
  // An event at the site follows the previous one in a way that the walk does not record, or for the first time.
  void passes(uint32_t to_site, bool told);
  uint32_t site_before() const {
    const uint32_t current = h_->graph.current;
    return current == trace::root_position ? h_->left_site : positions_[current].key.site;
  }
  void leave_walk();
  static constexpr uint64_t quiet_steps = 1000;  // in which control goes no new way
  void settle();
  void keep_transitions();
  void mark_silent();
  void add_regular(const trace::Key& key, uint64_t duration, uint64_t gap);
  void add_wild(uint32_t index, const trace::Key& key, uint64_t duration, uint64_t gap);
  void add_unusual(const trace::Key& key, uint64_t duration, uint64_t gap);
  void add_literal(const trace::Key& key, uint64_t duration, uint64_t gap);
  void add_unordered(const trace::Key& key, uint64_t duration, uint64_t gap);
  void miss(const trace::Key& key, uint64_t duration, uint64_t gap);
  static constexpr uint32_t long_call_ticks = 1u << 14;   // some 5 us: both stamps again
  static constexpr uint32_t short_call_ticks = 1u << 13;  // mean of calls that may do without
  static constexpr uint32_t short_gap_ticks = 1u << 11;   // longest gap before them
  static constexpr uint16_t never_assume = UINT16_MAX;    // usual_gap of a position that is long every so many visits

  struct Hashes;
  uint32_t find_exact(const trace::Key& key, const Hashes& at) const;
  uint32_t find_shape(const trace::Key& key, const Hashes& at, uint32_t* strikes);
  Hashes hashes_with(const trace::Key& key) const;
  void jump(uint32_t target, bool known);
  void arrive(uint32_t index, const trace::Key& key, uint64_t duration, uint64_t gap);
  void begin_literals();
  void end_literal_block();
  void put_repeats();
  void begin_polls(uint32_t number, uint64_t duration, uint64_t gap);
  void end_polls();
  bool make_wild(uint32_t index);
  void vary(uint32_t index, const trace::Key& key);
  uint64_t visits(uint32_t index) const;
  uint32_t create(const trace::Key& key, uint16_t mode);
  uint32_t beside_graph(const trace::Key& key, uint16_t mode);
  void fold_batch(uint32_t index);
  void long_call(uint32_t index, Position& p);
  void time_long(uint32_t index, Position& p, uint64_t duration, uint64_t gap);
  void turn_if_full();
  uint64_t bytes_in_use() const;

  ThreadHeader* h_ = nullptr;
  Table<Position> positions_;
  Table<RawTimes> raw_;
  Table<FoldedTimes> folded_;
  Table<int64_t> amounts_;
  Table<WildPosition> wild_;
  Table<int64_t> words_;
  Table<trace::WordList> word_lists_;
  ByteTable literals_;
  Tokens3 tokens_;
  Variations variations_;
  Polls polls_;
  ThreadLoops loops_;
  SeriesLog series_;
  PositionMap map_;
  PositionMap word_map_;
  TickScale scale_;
  Turn turn_;
  uint64_t* order_lost_ = nullptr;
  uint64_t* coarse_ = nullptr;
  uint64_t stream_lost_ = 0;
  uint64_t room_ = UINT64_MAX;
  uint64_t settle_at_ = UINT64_MAX, settle_limit_ = 4 * quiet_steps;  // steps
  uint32_t timed_site_ = UINT32_MAX, timed_ = 0;                      // where the last literal's time went
};

}  // namespace leadline::recording
