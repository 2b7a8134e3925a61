// Arrays at fixed places of a region of memory that is backed step by step: address space is reserved for the largest
// size, storage (file blocks, see recorder/memory/storage.hpp) is asked for before it is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace leadline::recording {

// Gives storage to [begin, end). Returns false if there is none.
struct Backing {
  bool (*back)(void* self, char* begin, char* end) = nullptr;
  void* self = nullptr;
};

// The part of a table that must survive the process: how many elements are in use. Lives in the mapped header.
struct TableState {
  uint64_t used = 0;  // elements
};

template <class T>
class Table {
 public:
  Table() = default;
  Table(TableState* state, char* base, uint32_t capacity, Backing backing)
      : base_(reinterpret_cast<T*>(base)), state_(state), capacity_(capacity), backing_(backing) {}

  T& operator[](size_t i) { return base_[i]; }
  const T& operator[](size_t i) const { return base_[i]; }
  uint32_t size() const { return static_cast<uint32_t>(state_->used); }
  uint32_t capacity() const { return capacity_; }
  T* data() const { return base_; }

  // Storage for `n` elements in all.
  bool ensure(uint64_t n) {
    if (n <= backed_) return true;
    if (n > capacity_) return false;
    uint64_t want = backed_ ? uint64_t{backed_} * 2 : first_bytes / sizeof(T);
    if (want < n) want = n;
    if (want > capacity_) want = capacity_;
    char* begin = reinterpret_cast<char*>(base_);
    if (!backing_.back(backing_.self, begin + backed_ * sizeof(T), begin + want * sizeof(T))) return false;
    backed_ = static_cast<uint32_t>(want);
    return true;
  }
  T* append() {
    if (!ensure(state_->used + 1)) return nullptr;
    return &base_[state_->used++];
  }
  void append_zeroed(uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
      if (T* p = append()) std::memset(static_cast<void*>(p), 0, sizeof(T));
    }
  }
  void clear() { state_->used = 0; }

 protected:
  static constexpr size_t first_bytes = 8192;
  T* base_ = nullptr;
  TableState* state_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t backed_ = 0;
  Backing backing_{};
};

// Bytes that are written in pieces whose size is known beforehand.
class ByteTable : public Table<uint8_t> {
 public:
  ByteTable() = default;
  ByteTable(TableState* state, char* base, uint32_t capacity, Backing backing, uint64_t* lost)
      : Table(state, base, capacity, backing), lost_(lost) {}

  uint8_t* room(size_t n) { return ensure(state_->used + n) ? base_ + state_->used : nullptr; }
  void advance(const uint8_t* end) { state_->used = static_cast<uint64_t>(end - base_); }
  bool nearly_full() const { return state_->used + capacity_ / 8 > capacity_; }
  void overflow() { ++*lost_; }  // what follows in this generation can't be put in order any more

 private:
  uint64_t* lost_ = nullptr;
};

}  // namespace leadline::recording
