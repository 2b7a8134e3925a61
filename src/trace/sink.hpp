// A growing buffer for the encoder. It uses mmap, not malloc: it runs inside the host, possibly during an abort.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "trace/bytes.hpp"

namespace leadline::trace {

class ByteSink {
 public:
  ByteSink() = default;
  constexpr ~ByteSink() {
    if (data_) munmap(data_, capacity_);
  }
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  bool ok() const { return ok_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  void clear() {
    size_ = 0;
    packable_ = SIZE_MAX;
  }
  // The data that follows can't be packed any further.
  void rest_is_dense() { packable_ = size_; }
  size_t packable() const { return packable_ < size_ ? packable_ : size_; }

  void varint(uint64_t v) {
    if (uint8_t* p = room(max_varint_bytes)) size_ = static_cast<size_t>(put_varint(p, v) - data_);
  }
  void svarint(int64_t v) { varint(zigzag(v)); }
  void byte(uint8_t v) {
    if (uint8_t* p = room(1)) *p = v, ++size_;
  }
  void bytes(const void* from, size_t n) {
    if (!n) return;  // then `from` may be none
    if (uint8_t* p = room(n)) std::memcpy(p, from, n), size_ += n;
  }
  // Length, then the bytes up to a NUL or `limit`.
  void string(const char* s, size_t limit) {
    const size_t n = strnlen(s, limit);
    varint(n);
    bytes(s, n);
  }
  // A byte to fill in later.
  size_t hole() {
    byte(0);
    return size_ - 1;
  }
  void fill(size_t at, uint8_t v) {
    if (at < size_) data_[at] = v;
  }

 private:
  uint8_t* room(size_t n) {
    if (size_ + n <= capacity_) return data_ + size_;
    size_t want = capacity_ ? capacity_ * 2 : size_t{1} << 16;
    while (want < size_ + n) want *= 2;
    void* p = capacity_ ? mremap(data_, capacity_, want, MREMAP_MAYMOVE)
                        : mmap(nullptr, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      ok_ = false;
      return nullptr;
    }
    data_ = static_cast<uint8_t*>(p);
    capacity_ = want;
    return data_ + size_;
  }

  uint8_t* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0, packable_ = SIZE_MAX;
  bool ok_ = true;
};

}  // namespace leadline::trace
