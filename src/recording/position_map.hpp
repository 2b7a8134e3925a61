// A map from hashes to positions. It may lose entries, and different keys may share a hash, so the caller compares the
// position it finds.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "recording/long_work.hpp"

namespace leadline::recording {

// Open addressing over lazily grown anonymous memory. It allocates only to grow, and never through malloc.
class PositionMap {
 public:
  constexpr explicit PositionMap(uint32_t limit = 1u << 18) : limit_(limit) {}
  constexpr ~PositionMap() {
    if (slots_) release();
  }
  PositionMap(const PositionMap&) = delete;
  PositionMap& operator=(const PositionMap&) = delete;

  // 0 if nothing was stored under the hash.
  uint32_t find(uint64_t hash) const {
    if (!slots_) return 0;
    const uint32_t check = check_of(hash);
    for (uint32_t i = static_cast<uint32_t>(hash) & mask_, probes = 0; probes < max_probes;
         i = (i + 1) & mask_, ++probes) {
      if (!slots_[i].position) return 0;
      if (slots_[i].check == check) return slots_[i].position;
    }
    return 0;
  }

  // Replaces the hash's entry. Gives up silently if it can't grow.
  void put(uint64_t hash, uint32_t position) {
    if ((!slots_ || used_ * 2 > mask_) && !grow()) return;
    insert(check_of(hash), static_cast<uint32_t>(hash), position);
  }

  void clear() {
    release();
    used_ = 0;
  }

 private:
  struct Slot {
    uint32_t check;
    uint32_t position;
    uint32_t home;  // low half of the hash, to move the slot when the table grows
  };
  static constexpr uint32_t max_probes = 32, takes_long = 1u << 12;

  static uint32_t check_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  void insert(uint32_t check, uint32_t home, uint32_t position) {
    for (uint32_t i = home & mask_, probes = 0; probes < max_probes; i = (i + 1) & mask_, ++probes) {
      if (!slots_[i].position) ++used_;
      if (!slots_[i].position || slots_[i].check == check) {
        slots_[i] = {check, position, home};
        return;
      }
    }
  }

  bool grow() {
    const uint32_t size = slots_ ? (mask_ + 1) * 2 : 512;
    if (size > limit_) return slots_ != nullptr;
    if (size >= takes_long) begin_long_work();
    void* memory = mmap(nullptr, size * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return slots_ != nullptr;
    Slot* old = slots_;
    const uint32_t old_size = old ? mask_ + 1 : 0;
    slots_ = static_cast<Slot*>(memory);
    mask_ = size - 1;
    used_ = 0;
    for (uint32_t i = 0; i < old_size; ++i) {
      if (old[i].position) insert(old[i].check, old[i].home, old[i].position);
    }
    if (old) munmap(old, old_size * sizeof(Slot));
    return true;
  }

  void release() {
    if (slots_) munmap(slots_, (mask_ + 1) * sizeof(Slot));
    slots_ = nullptr;
    mask_ = 0;
  }

  Slot* slots_ = nullptr;
  uint32_t mask_ = 0;
  uint32_t used_ = 0;
  uint32_t limit_;
};

}  // namespace leadline::recording
