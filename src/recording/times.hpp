// Statistics of durations and gaps per position, kept cheap by folding eight raw pairs at a time.
#pragma once

#include <cstdint>

#include "trace/time_buckets.hpp"

namespace leadline::recording {

// One cache line per position: written on every visit.
struct RawTimes {
  uint32_t duration[8];
  uint32_t gap[8];
};
static_assert(sizeof(RawTimes) == 64);

// Nanoseconds.
struct FoldedTimes {
  uint64_t count;
  uint64_t sum;
  uint64_t gap_sum;
  uint64_t min;  // meaningful if count > 0
  uint64_t max;
  uint32_t hist[trace::time_buckets];
  uint32_t last_long, long_distance;  // calls that turned out long: the visit, and visits since the previous one
};

// Ticks to nanoseconds as a 32.32 fixed-point factor.
struct TickScale {
  uint64_t factor = 1ull << 32;
  uint64_t ns(uint64_t ticks) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ticks) * factor) >> 32);
  }
};

inline void fold_one(FoldedTimes* into, uint64_t duration_ns, uint64_t gap_ns) {
  if (into->count == 0 || duration_ns < into->min) into->min = duration_ns;
  if (duration_ns > into->max) into->max = duration_ns;
  ++into->count;
  into->sum += duration_ns;
  into->gap_sum += gap_ns;
  ++into->hist[trace::time_bucket(duration_ns)];
}

struct Batch {  // ticks
  uint64_t durations = 0, gaps = 0;
  uint32_t longest_gap = 0;
};

// A batch: sums and extremes in ticks, then nanoseconds once; buckets by the exponent of a float, which is the
// logarithm.
inline Batch fold(FoldedTimes* into, const RawTimes& raw, unsigned first, unsigned end, const TickScale& scale) {
  Batch batch;
  if (first >= end) return batch;
  const float ns_per_tick = static_cast<float>(scale.factor) * 0x1p-32f;
  uint32_t least = UINT32_MAX, most = 0;
  for (unsigned i = first; i < end; ++i) {
    const uint32_t ticks = raw.duration[i];
    batch.durations += ticks;
    batch.gaps += raw.gap[i];
    batch.longest_gap = raw.gap[i] > batch.longest_gap ? raw.gap[i] : batch.longest_gap;
    least = ticks < least ? ticks : least;
    most = ticks > most ? ticks : most;
    const float ns = static_cast<float>(ticks) * ns_per_tick + 1.0f;  // at least 1: bucket 0
    ++into->hist[(__builtin_bit_cast(uint32_t, ns) >> 23) - 127];
  }
  const uint64_t min = scale.ns(least), max = scale.ns(most);
  if (into->count == 0 || min < into->min) into->min = min;
  if (max > into->max) into->max = max;
  into->count += end - first;
  into->sum += scale.ns(batch.durations);
  into->gap_sum += scale.ns(batch.gaps);
  return batch;
}

}  // namespace leadline::recording
