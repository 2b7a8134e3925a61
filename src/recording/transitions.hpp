// How often one call site followed another on a thread: the loops of its source are found from this (source_loops.hpp).
// The walk along the event graph costs nothing here: if the graph predicted correctly, its positions' visits give the
// count; only mispredicted and unordered transitions are counted one by one.
#pragma once

#include <cstdint>

#include "recording/position_map.hpp"
#include "recording/table.hpp"
#include "trace/hash.hpp"

namespace leadline::recording {

struct Transition {
  uint32_t from, to;  // call sites
  uint64_t times;     // in addition to those that positions imply
  uint32_t repeats;   // the loop whose next iteration begins between the two; 0: none
  uint32_t state;     // Transition::classified where `repeats` is known
  uint32_t seen_by;   // the loop for which `crossing` is known; 0: none
  uint32_t crossing;  // the effect on that loop (loop_profile.hpp)
  static constexpr uint32_t classified = 1;
};

class Transitions {
 public:
  static constexpr uint32_t none = 0;  // entry 0 is unused

  void attach(Table<Transition> table) {
    table_ = table;
    if (!table_.size()) table_.append_zeroed(1);
    for (uint32_t i = 1; i < table_.size(); ++i) map_.put(hash_of(table_[i].from, table_[i].to), i);
  }

  // Its number, added if it is missing; none if there is no room.
  uint32_t of(uint32_t from, uint32_t to) {
    const uint64_t hash = hash_of(from, to);
    const uint32_t found = map_.find(hash);
    if (found && table_[found].from == from && table_[found].to == to) return found;
    Transition* t = table_.append();
    if (!t) return none;
    *t = {from, to, 0, 0, 0, 0, 0};
    const uint32_t number = table_.size() - 1;
    map_.put(hash, number);
    return number;
  }
  // The same without adding it; none if it is missing.
  uint32_t find(uint32_t from, uint32_t to) const {
    const uint32_t found = map_.find(hash_of(from, to));
    return found && table_[found].from == from && table_[found].to == to ? found : none;
  }
  uint32_t size() const { return table_.size(); }
  Transition& operator[](uint32_t number) { return table_[number]; }
  const Transition& operator[](uint32_t number) const { return table_[number]; }

 private:
  static uint64_t hash_of(uint32_t from, uint32_t to) { return trace::mix(trace::mix(0x7a5, from), to); }

  Table<Transition> table_;
  PositionMap map_{1u << 17};
};

}  // namespace leadline::recording
