// Times of the replay: integer picoseconds, so that equal states compare equal and no result depends on the order of
// additions. A traced one also counts which parameters of the network it is made of: its derivatives by them.
#pragma once

#include <cmath>
#include <cstdint>

namespace leadline::replay {

// How often each parameter lies on a path: the derivatives of a time by L, o and g, and by G in bytes.
struct Share {
  int64_t latencies = 0, overheads = 0, gaps = 0, gap_bytes = 0;

  bool operator==(const Share&) const = default;
  Share operator+(const Share& s) const {
    return {latencies + s.latencies, overheads + s.overheads, gaps + s.gaps, gap_bytes + s.gap_bytes};
  }
  Share operator-(const Share& s) const {
    return {latencies - s.latencies, overheads - s.overheads, gaps - s.gaps, gap_bytes - s.gap_bytes};
  }
  Share operator*(int64_t n) const { return {latencies * n, overheads * n, gaps * n, gap_bytes * n}; }
};

inline int64_t picoseconds(double ns) {
  return std::isfinite(ns) && ns > 0 ? static_cast<int64_t>(ns * 1000 + 0.5) : 0;
}

struct Cost {
  int64_t ps = 0;
  Share share;

  bool operator==(const Cost&) const = default;
};

struct PlainCost {
  int64_t ps = 0;
  PlainCost() = default;
  explicit PlainCost(const Cost& cost) : ps(cost.ps) {}
};

struct Plain {
  using Cost = PlainCost;
  int64_t ps = 0;

  static constexpr bool traced = false;
  Share share() const { return {}; }
  Plain operator+(const PlainCost& cost) const { return {ps + cost.ps}; }
  Plain after(int64_t more_ps) const { return {ps + more_ps}; }
};

struct Traced {
  using Cost = replay::Cost;
  int64_t ps = 0;
  Share counts;

  static constexpr bool traced = true;
  Share share() const { return counts; }
  Traced operator+(const replay::Cost& cost) const { return {ps + cost.ps, counts + cost.share}; }
  Traced after(int64_t more_ps) const { return {ps + more_ps, counts}; }
};

// Of two equal ones the first: which one a derivative follows there is a convention.
template <class Instant>
Instant later(const Instant& one, const Instant& other) {
  return one.ps >= other.ps ? one : other;
}

}  // namespace leadline::replay
