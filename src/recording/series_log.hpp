// The recorder's side of the series (see series_state.hpp): the log and its windows (series_log.cpp), the loop
// (series_loop.cpp), and its slowest iterations (series_slow.cpp).
#pragma once

#include "recording/live.hpp"
#include "recording/loop_profile.hpp"

namespace leadline::recording {

struct KeptWindows;

class SeriesLog {
 public:
  // The services that the log needs from its recorder.
  struct Host {
    bool (*spill)(void* self) = nullptr;  // writes the log to the file, so that it can start empty; false: it cannot
    void* self = nullptr;
    uint64_t (*now)() = nullptr;              // ticks
    void (*spent)(uint64_t ticks) = nullptr;  // work done by the log itself
  };

  void attach(ThreadHeader* header, char* region, Backing backing, Table<Position> positions, Table<FoldedTimes> folded,
              Table<RawTimes> raw, ThreadLoops* loops);
  enum class Kind { collective, outside, file };
  void know(uint32_t function, Kind kind);
  void set_scale(TickScale scale) { scale_ = scale; }
  // Keeps this many entries; `automatic`: more if the loop's iteration is long. 0: none. If they are more than may be
  // in memory, they are spilled.
  void keep(uint64_t entries, uint64_t in_memory, bool automatic, Host host);
  // The numbers of calls begin again: before they do, and after.
  void leave_generation();
  void reset();
  // The order is not kept from now on, so entries would have no meaning.
  void stop();

  bool watches() const { return h_->unusual & unusual_watched; }
  void append(uint32_t position, uint64_t duration, uint64_t gap) {
    if (SeriesEntry* e = entries_.append()) {
      e->position = position;
      e->duration = short_ticks(duration);
      e->gap = short_ticks(gap + s_->polled + s_->own);
      e->polled = s_->polled != 0;
      s_->polled = s_->own = 0;
    } else {
      stop();
    }
  }
  // Failed polls between two events are one entry, whose duration includes the time between them. If that run has no
  // place in the order, the next entry's gap includes it and says so.
  void skip_polls(uint64_t ticks) { s_->polled = ticks ? ticks : 1; }
  // The iteration under way can't be put together from its events' times: polls take some of it.
  void polls_begin() { s_->long_calls = most_long_calls + 1; }
  // Computation before a poll is computation.
  void gap_before_poll(uint64_t gap) {
    if (gap > s_->long_gap) s_->long_gap = gap, s_->long_gap_position = trace::poll_position;
  }
  // The places of polls show best what happened between two calls. They get more bytes where the times of calls are
  // kept, more again where a loop's iterations are, and as many as needed if the user asked for more times.
  uint64_t room_for_polls(uint64_t elsewhere) const {
    if (!s_->automatic && s_->limit > elsewhere) return 4 * s_->limit;
    return (s_->mode == SeriesMode::sampling ? 4 : 2) * elsewhere;
  }
  void check() {
    if (__builtin_expect(entries_.size() >= s_->check_at, 0)) full();
  }
  // This much time is not the program's: it belongs to no call, no computation and no iteration. The moments of calls
  // in the log are those of the clock, so there it is a pause, or, where it is short, part of the time before the next
  // one.
  void pass_over(uint64_t ticks);

  // Reads the code behind all ways that control went so far.
  void settle_loops();

  // A marked position was visited: its times are folded, iterations counted.
  void anchor_visited(uint32_t index, uint64_t duration, uint64_t gap);
  // Iterations are those of a loop of the source, and each is looked at.
  bool follows_source() const { return s_->loops && loop().source && loop().anchors == 1; }
  bool marked(const Position& p) const { return p.visits == 0 && (follows_source() || anchors(p.key)); }

  // Control took a transition that was not predicted, whose number is given. Watches for loops outside the followed
  // one, and returns whether an iteration of that one begins or ends with it (crosses()).
  void passes(uint32_t transition) {
    if (follows_source()) arrive(transition);
  }
  bool crosses() const { return crossing_ != Crossing::none; }
  // The event that came by it was recorded; its position may not have been marked.
  void passed(uint32_t index, uint64_t duration, uint64_t gap) {
    if (arrived_ && crosses()) return cross(index, duration, gap);
    arrived_ = 0;
  }
  // Looks at the next visits of the position.
  void mark(uint32_t index);
  // A position was made: does it belong to the anchor?
  void created(uint32_t index);
  // Called now and then: is the loop over?
  void look() {
    if (__builtin_expect(h_->steps > s_->lost_at, 0)) lost();
  }
  // The call is too long for a batch of times.
  void long_call(uint32_t index, uint64_t duration, uint64_t gap) {
    if (gap > s_->long_gap) s_->long_gap = gap, s_->long_gap_position = index;
    if (s_->long_calls < most_long_calls) s_->long_call[s_->long_calls] = {h_->steps - 1, duration, gap};
    ++s_->long_calls;
  }
  // A batch of times was folded.
  void folded(uint32_t index, const RawTimes& times) {
    if (!batches_) return;
    KeptBatch& kept = batches_[batches_kept_++ & (most_batches - 1)];
    kept.times = times;
    kept.position = index;
  }
  bool due(uint32_t index) const { return s_->loops && loop().anchors > 1 && loop().counter == index; }
  void several_iterations(uint32_t index, uint64_t duration, uint64_t gap);

 private:
  static constexpr uint64_t never = UINT64_MAX;
  static constexpr uint64_t least_pause_ticks = 1u << 17;  // some 40 us
  static constexpr uint64_t automatic_iterations = 16;     // that fit where the limit follows the loop
  static constexpr uint64_t least_iterations = 8;          // of which half may be thinned out

  SeriesLoop& loop() const { return s_->loop[s_->current]; }
  StripBucket* buckets(uint32_t loop) const { return buckets_ + uint64_t{loop} * trace::most_buckets; }
  bool anchors(const trace::Key& key) const {
    return s_->loops && !loop().source && loop().anchors == 1 && key == loop().anchor;
  }
  void arrive(uint32_t transition);
  void cross(uint32_t index, uint64_t duration, uint64_t gap);
  bool goes_further_out(uint32_t transition) const;
  Crossing crossing_to_next(uint32_t index) const;
  bool reconsider(uint32_t transition = 0);
  void resume();
  void end_iteration(uint64_t ticks, uint64_t call);
  SeriesWindow* window() { return &windows_[windows_.size() - 1]; }

  void watch(bool on);
  void open(trace::SeriesKind kind, uint64_t iteration, uint64_t first_call, uint64_t begin_ticks);
  void close(uint64_t end_ticks);
  void full();
  void look_for_loop();
  void take(const SeriesLoop& found);
  void make_room_for(uint64_t body);
  void mark_all();
  void count_by_batches(SeriesLoop* loop);
  uint64_t pending(uint32_t index) const;
  bool begins_at_one() const;
  void part_iterations(uint32_t which);
  void iterations_elsewhere(const LoopProfile& profile);
  void unmark();
  void lost();
  void begin_iteration(uint64_t ticks, uint64_t call, uint32_t position, uint64_t duration, uint64_t gap);
  void begin_windows(uint64_t ticks, uint64_t call, uint32_t position, uint64_t duration, uint64_t gap);
  void leave_to_next(uint64_t call, uint64_t ticks);
  void find_longest_gap(SlowIteration* slow, uint32_t anchor) const;
  void keep_slow(SlowIteration* slow, const IterationBegin& began, uint64_t first_call, uint64_t calls);
  void keep_batches(bool on);
  bool find_times(const IterationBegin& began, uint64_t calls, SeriesEntry* into) const;
  void keep_slow_of(const SeriesWindow& whole, const KeptWindows& kept);
  void put_slow(SlowIteration* slow, const SeriesEntry* entries, uint64_t n, uint64_t first_call);
  void choose_stride();
  void go_on(bool whole);
  void keep_windows_of(const SeriesWindow& whole);
  void thin();
  void pause_window(uint64_t ticks);
  uint64_t room_of_windows() const;
  void compact(const SeriesWindow* kept, uint32_t n);

  uint64_t in_memory_ = 0;  // entries
  ThreadHeader* h_ = nullptr;
  SeriesState* s_ = nullptr;
  StripBucket* buckets_ = nullptr;
  Table<SeriesEntry> entries_;
  Table<SeriesWindow> windows_;
  Table<Position> positions_;
  Table<FoldedTimes> folded_;
  Table<RawTimes> raw_;
  ThreadLoops* loops_ = nullptr;
  uint32_t arrived_ = 0;  // the transition by which the event at hand came
  Crossing crossing_ = Crossing::none;
  uint32_t further_out_ = 0;  // times that a loop around the one followed repeated
  TickScale scale_;
  Host host_;
  Backing backing_;
  char* region_ = nullptr;
  // The last batches that were folded, while iterations are sampled.
  struct KeptBatch {
    RawTimes times;
    uint32_t position;
  };
  static constexpr uint32_t most_batches = 1024;
  KeptBatch* batches_ = nullptr;
  KeptBatch* batch_memory_ = nullptr;
  uint64_t batches_kept_ = 0;
  class Visits;
  // Looking for the loop takes milliseconds, which would be the slowest iteration of many a program.
  class OwnWork {
   public:
    explicit OwnWork(SeriesLog* log) : log_(*log), begin_(log->host_.now ? log->host_.now() : 0) {}
    ~OwnWork() {
      if (!log_.host_.now) return;
      const uint64_t ticks = log_.host_.now() - begin_;
      log_.pass_over(ticks);
      if (log_.host_.spent) log_.host_.spent(ticks);
    }
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

   private:
    SeriesLog& log_;
    uint64_t begin_;
  };
  uint16_t slow_backed_[trace::most_loops * trace::most_slow] = {};  // pages of their storage
};

}  // namespace leadline::recording
