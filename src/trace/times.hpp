// Statistics of durations and gaps per position, kept cheap by folding eight raw pairs at a time.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr int time_buckets = 40;

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
  uint64_t min;  // meaningful where count > 0
  uint64_t max;
  uint32_t hist[time_buckets];
};

// Ticks to nanoseconds as a 32.32 fixed-point factor.
struct TickScale {
  uint64_t factor = 1ull << 32;
  uint64_t ns(uint64_t ticks) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ticks) * factor) >> 32);
  }
};

inline int time_bucket(uint64_t ns) {
  const int log2 = ns < 2 ? 0 : 63 - __builtin_clzll(ns);
  return log2 < time_buckets ? log2 : time_buckets - 1;
}

inline void fold_one(FoldedTimes* into, uint64_t duration_ns, uint64_t gap_ns) {
  if (into->count == 0 || duration_ns < into->min) into->min = duration_ns;
  if (duration_ns > into->max) into->max = duration_ns;
  ++into->count;
  into->sum += duration_ns;
  into->gap_sum += gap_ns;
  ++into->hist[time_bucket(duration_ns)];
}

inline void fold(FoldedTimes* into, const RawTimes& raw, unsigned first, unsigned end, const TickScale& scale) {
  for (unsigned i = first; i < end; ++i) fold_one(into, scale.ns(raw.duration[i]), scale.ns(raw.gap[i]));
}

}  // namespace leadline::trace
