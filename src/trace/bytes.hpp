// Variable-length integers: 7 bits a byte, low bits first; signed ones are zigzag encoded. The writer fills memory that
// the caller or a sink owns; the reader checks every bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leadline::trace {

inline constexpr size_t max_varint_bytes = 10;

constexpr uint64_t zigzag(int64_t v) { return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63); }
constexpr int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

// A difference that never overflows: it wraps, and the reader's sum wraps back.
constexpr int64_t wrapping_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

inline uint8_t* put_varint(uint8_t* p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<uint8_t>(v) | 0x80;
    v >>= 7;
  }
  *p++ = static_cast<uint8_t>(v);
  return p;
}
inline uint8_t* put_signed(uint8_t* p, int64_t v) { return put_varint(p, zigzag(v)); }

class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(const uint8_t* begin, size_t size) : p_(begin), end_(begin + size) {}

  bool ok() const { return ok_; }
  bool at_end() const { return p_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - p_); }
  void fail() {
    ok_ = false;
    p_ = end_;
  }

  uint64_t varint() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (p_ == end_) break;
      const uint8_t b = *p_++;
      if (shift < 64) v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (!(b & 0x80)) return v;
    }
    fail();
    return 0;
  }
  int64_t svarint() { return unzigzag(varint()); }
  uint8_t byte() {
    if (p_ == end_) {
      fail();
      return 0;
    }
    return *p_++;
  }
  // Reads a count of things that each take at least `least` bytes. Refuses a count that the rest of the data can't
  // hold.
  size_t count(size_t least = 1) {
    const uint64_t n = varint();
    if (n > left() / (least ? least : 1)) {
      fail();
      return 0;
    }
    return static_cast<size_t>(n);
  }
  ByteReader bytes(size_t n) {
    if (n > left()) {
      fail();
      return {};
    }
    ByteReader part(p_, n);
    p_ += n;
    return part;
  }
  const uint8_t* data() const { return p_; }

 private:
  const uint8_t* p_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace leadline::trace
