// How many durations fell into each bucket of time_buckets.hpp. A reader holds one of these for every position of a
// graph, and most positions use one bucket or two, so only the buckets between the first and the last one are stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "trace/time_buckets.hpp"

namespace leadline::trace {

class DurationCounts {
 public:
  DurationCounts() = default;
  DurationCounts(const DurationCounts& other) { *this = other; }
  DurationCounts(DurationCounts&& other) noexcept { swap(other); }
  DurationCounts& operator=(DurationCounts&& other) noexcept {
    swap(other);
    return *this;
  }
  DurationCounts& operator=(const DurationCounts& other) {
    if (this == &other) return *this;
    first_ = other.first_;
    span_ = other.span_;
    only_ = other.only_;
    many_.reset(other.many_ ? new uint64_t[span_] : nullptr);
    if (many_) std::copy_n(other.many_.get(), span_, many_.get());
    return *this;
  }

  static constexpr size_t size() { return time_buckets; }
  uint64_t operator[](size_t bucket) const {
    return bucket - first_ < span_ ? counts()[bucket - first_] : 0;  // less than first_: it wraps
  }
  bool empty() const { return span_ == 0; }

  void add(size_t bucket, uint64_t count) {
    if (!count) return;
    hold(bucket, bucket + 1);
    counts()[bucket - first_] += count;
  }
  void add(const DurationCounts& other) {
    if (other.empty()) return;
    hold(other.first_, other.first_ + other.span_);
    for (size_t i = 0; i < other.span_; ++i) counts()[other.first_ - first_ + i] += other.counts()[i];
  }
  // Makes room for the buckets from `begin` to before `end`.
  void hold(size_t begin, size_t end) {
    if (begin >= end || (span_ && begin >= first_ && end <= size_t{first_} + span_)) return;
    const size_t from = span_ ? std::min<size_t>(begin, first_) : begin;
    const size_t to = span_ ? std::max<size_t>(end, size_t{first_} + span_) : end;
    if (to - from > 1) {
      std::unique_ptr<uint64_t[]> more(new uint64_t[to - from]());
      for (size_t i = 0; i < span_; ++i) more[first_ - from + i] = counts()[i];
      many_ = std::move(more);
    }
    first_ = static_cast<uint8_t>(from);
    span_ = static_cast<uint8_t>(to - from);
  }

 private:
  void swap(DurationCounts& other) {
    std::swap(first_, other.first_);
    std::swap(span_, other.span_);
    std::swap(only_, other.only_);
    std::swap(many_, other.many_);
  }
  const uint64_t* counts() const { return many_ ? many_.get() : &only_; }
  uint64_t* counts() { return many_ ? many_.get() : &only_; }

  uint8_t first_ = 0, span_ = 0;
  uint64_t only_ = 0;                 // where the span is one bucket
  std::unique_ptr<uint64_t[]> many_;  // where it is more
};

}  // namespace leadline::trace
