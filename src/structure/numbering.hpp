// Numbers for things that occur repeatedly: open addressing over their hashes. The caller keeps the things.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::structure {

class Numbering {
 public:
  // Returns the number of the thing with that hash for which `same(number)` holds, or `next`, which becomes its number.
  template <class Same>
  uint32_t of(uint64_t hash, uint32_t next, Same same) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    hash |= 1;  // 0 marks a free slot
    size_t at = place(hash);
    for (; slots_[at].hash; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].hash == hash && same(slots_[at].number)) return slots_[at].number;
    }
    slots_[at] = {hash, next};
    ++used_;
    return next;
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = 0;
  };
  size_t place(uint64_t hash) const { return (hash * 0x9e3779b97f4a7c15 >> 20) & (slots_.size() - 1); }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& s : before) {
      if (!s.hash) continue;
      size_t at = place(s.hash);
      while (slots_[at].hash) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = s;
    }
  }

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

}  // namespace leadline::structure
