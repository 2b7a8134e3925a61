// Times of single calls: which are kept, and how a recording process keeps them.
//
// While a thread is watched, every call leaves an entry (position, duration, gap) in a log. A short program is watched
// from its first call to its last: the full series. Where the log is full, the loop of the program's steps is looked
// for in it (loop_finder.hpp), and from then on only windows of its iterations are watched: `width` of them, every
// `stride`. Both are powers of two, the iterations are counted from the first iteration of the loop, and the stride
// doubles when the log is full again: so ranks that go through the loop together keep the same iterations, or one every
// second of the other's, without communication. All iterations are timed; their times go to a strip of at most so many
// buckets, and the slowest to a list.
//
// The slowest keep the times of all their calls too, although that is only known afterwards: the last eight visits'
// times of every position are still there when an iteration ends, and a ring of the last positions visited tells their
// order (series_slow.cpp).
//
// An anchor is a call that comes once in every iteration. Its positions are marked (see anchor_mark), so that its
// visits, and nobody else's, take the way of a full batch of times and find the log: iterations cost other calls
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recording/table.hpp"
#include "trace/event.hpp"
#include "trace/limits.hpp"
#include "trace/series_kind.hpp"

namespace leadline::recording {

// Ticks with eighteen significant bits, in 23: exact below 2^18, right within four millionths beyond. A second in
// MPI_Init must not move what follows it by a microsecond's multiple.
constexpr uint32_t short_ticks(uint64_t ticks) {
  constexpr uint64_t full = 1u << 18;
  if (ticks < full) return static_cast<uint32_t>(ticks);
  uint32_t shift = 46 - static_cast<uint32_t>(__builtin_clzll(ticks));
  uint64_t mantissa = (ticks >> shift) + (ticks >> (shift - 1) & 1);
  if (mantissa == full) mantissa /= 2, ++shift;
  return static_cast<uint32_t>((shift + 1) << 17 | (mantissa & (full / 2 - 1)));
}
constexpr uint64_t long_ticks(uint32_t code) {
  if (code < 1u << 18) return code;
  const uint32_t shift = (code >> 17) - 1;
  return uint64_t{(1u << 17) | (code & ((1u << 17) - 1))} << (shift < 46 ? shift : 46);
}

struct SeriesEntry {
  uint64_t position : 17;  // 0: a call that has none (a literal); poll_position: a run of failed polls
  uint64_t duration : 23, gap : 23;
  uint64_t polled : 1;  // failed polls whose place is not kept are part of the gap
};
static_assert(sizeof(SeriesEntry) == 8);

// Calls in a row whose entries are kept.
struct SeriesWindow {
  uint64_t first_call;              // calls of the generation before it
  uint64_t begin_ticks, end_ticks;  // end of the call before, and of its last one
  uint64_t iteration;               // of `whole`: times the loop's anchor came before; else its first iteration
  uint32_t first_entry, entries;
  trace::SeriesKind kind;
  uint32_t loop;
};

struct StripBucket {
  uint64_t sum, min, max;  // ticks
  uint64_t max_iteration;
  uint64_t count;
};

struct SlowIteration {
  uint64_t iteration, ticks, begin_ticks;
  uint64_t longest_gap;   // ticks of computation in one go: tells who was slow from who waited
  uint32_t gap_position;  // before which call; poll_position: a failed poll
  uint32_t entries;       // of its calls that were kept: all, or 0
  uint64_t first_call;    // calls of the generation before it, where they were
};

inline constexpr uint32_t most_long_calls = 16;

// The beginning of the iteration under way.
struct IterationBegin {
  uint64_t step;           // place in the ring of positions
  uint64_t gap, duration;  // of the anchor, where that begins it
};

struct SeriesLoop {
  uint32_t source;  // the loop of the source it is, which delimits its iterations; 0: the anchor does
  uint32_t unused;
  trace::Key anchor;
  uint32_t position;     // the first with that key
  uint32_t after;        // 1: an iteration ends with the anchor; 0: it begins with it
  uint32_t anchors;      // times the anchor comes in an iteration: more than 1 where very short ones are timed together
  uint32_t stride;       // windows begin at its multiples
  uint32_t width;        // iterations of a window
  uint32_t bucket_size;  // iterations
  uint32_t buckets, slow_count;
  uint32_t running;                  // 1: the begin of the iteration under way is known
  uint32_t counter;                  // of several anchors: the position whose batches count them
  uint64_t first_call;               // calls of the generation before iteration 0
  uint64_t skipped;                  // times the anchor came before the loop began
  uint64_t occurrences;              // times it came at all
  uint64_t timed;                    // iterations whose time is known
  uint64_t calls, ticks;             // of these
  uint64_t begin_ticks, begin_call;  // of the iteration under way
  IterationBegin began;
  SlowIteration slow[trace::most_slow];

  // Number of the iteration under way.
  uint64_t iteration() const {
    const uint64_t n = occurrences > skipped ? occurrences - skipped : 0;
    return (after ? n : n ? n - 1 : 0) / (anchors ? anchors : 1);
  }
  // Whether an iteration begins with (or after) the occurrence just counted.
  bool at_boundary() const {
    return occurrences > skipped && (occurrences - skipped) % anchors == (after ? 0 : 1 % anchors);
  }
};

// A call too long for a batch of times.
struct LongCall {
  uint64_t step, duration, gap;
};

// Time between two calls that is not the program's: recording paused, or the log looked for the loop.
struct SeriesPause {
  uint64_t call, ticks;  // calls of the generation before it
};
inline constexpr uint32_t most_series_pauses = 64;

// off: nothing is kept, or (where there is a time to look again) no loop was found. looking: for the loop. whole: all
// calls are kept. sampling: windows.
enum class SeriesMode : uint32_t { off, looking, whole, sampling };

// The state of the log; in the mapped region, like the tables it describes.
struct SeriesState {
  TableState entries, windows;
  SeriesMode mode;
  uint32_t loops;
  uint32_t current;    // loop, meaningful where there are any
  uint32_t open;       // 1: the last window is being written
  uint64_t limit;      // entries to keep
  uint64_t check_at;   // entries at which something has to be done
  uint64_t spilled;    // entries written to the file before
  uint64_t lost_at;    // steps at which the loop counts as left
  uint64_t polled;     // ticks of failed polls before the next entry that have none
  uint64_t own;        // ticks of the recorder's own before the next entry
  uint32_t automatic;  // the limit may grow with the loop's body
  uint32_t probe;      // entries to look at next time
  // A bit per function number: collectives; what begins and ends the run; calls of libc on files.
  uint8_t collective[256], outside[256], files[256];
  uint64_t long_gap;  // of calls whose gap is too long for a batch of times, in this iteration
  uint32_t long_gap_position;
  uint32_t long_calls;  // such calls in this iteration
  LongCall long_call[most_long_calls];
  SeriesLoop loop[trace::most_loops];
  uint32_t pauses;  // used, in the order of calls
  SeriesPause pause[most_series_pauses];

  // Ticks of the pauses between one call and the next.
  uint64_t paused_before(uint64_t call) const {
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < pauses && i < most_series_pauses; ++i) {
      if (pause[i].call == call) ticks += pause[i].ticks;
    }
    return ticks;
  }
  // The first call from this one on that was paused before; UINT64_MAX: none.
  uint64_t next_pause(uint64_t call) const {
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < pauses && i < most_series_pauses; ++i) {
      if (pause[i].call >= call && pause[i].call < next) next = pause[i].call;
    }
    return next;
  }
};

inline constexpr uint64_t series_probe = 24576;     // entries in which the loop is looked for first
inline constexpr uint64_t series_spill = 1u << 15;  // entries written at once where the budget allows more than memory
inline constexpr uint32_t world_communicator = 1;   // the first the recorder meets

// `visits` of a marked position: the next one looks like the last of a batch.
inline constexpr uint32_t anchor_mark = UINT32_MAX;

// Times of iterations go to buckets of `bucket_size` iterations; where there are too many, two become one.
inline void add_to_strip(SeriesLoop* loop, StripBucket* buckets, uint64_t iteration, uint64_t ticks) {
  constexpr uint64_t most_iterations = uint64_t{1} << 40;  // more are damage
  if (iteration >= most_iterations) return;
  if (!loop->bucket_size) loop->bucket_size = 1;
  uint64_t at = iteration / loop->bucket_size;
  while (at >= trace::most_buckets) {
    for (uint32_t i = 0; i < trace::most_buckets / 2; ++i) {
      StripBucket merged{};
      for (uint32_t half = 2 * i; half < 2 * i + 2 && half < loop->buckets; ++half) {
        const StripBucket& b = buckets[half];
        if (!b.count) continue;
        if (!merged.count || b.min < merged.min) merged.min = b.min;
        if (!merged.count || b.max > merged.max) merged.max = b.max, merged.max_iteration = b.max_iteration;
        merged.count += b.count;
        merged.sum += b.sum;
      }
      buckets[i] = merged;
    }
    loop->buckets = (loop->buckets + 1) / 2;
    loop->bucket_size *= 2;
    at = iteration / loop->bucket_size;
  }
  for (; loop->buckets <= at; ++loop->buckets) buckets[loop->buckets] = StripBucket{};
  StripBucket& b = buckets[at];
  if (!b.count || ticks < b.min) b.min = ticks;
  if (!b.count || ticks > b.max) b.max = ticks, b.max_iteration = iteration;
  ++b.count;
  b.sum += ticks;
}

// The slowest iterations, unordered. Returns this one's place if it is now among them, or nullptr.
inline SlowIteration* add_to_slowest(SeriesLoop* loop, const SlowIteration& s) {
  if (loop->slow_count < trace::most_slow) {
    loop->slow[loop->slow_count++] = s;
    return &loop->slow[loop->slow_count - 1];
  }
  uint32_t least = 0;
  for (uint32_t i = 1; i < trace::most_slow; ++i) {
    if (loop->slow[i].ticks < loop->slow[least].ticks) least = i;
  }
  if (s.ticks <= loop->slow[least].ticks) return nullptr;
  loop->slow[least] = s;
  return &loop->slow[least];
}

}  // namespace leadline::recording
