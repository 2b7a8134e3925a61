// The channels that a process's messages go through, numbered as they come. An irregular program has nearly as many of
// them as messages, so each takes few bytes: what many have in common is kept once. To find one takes one place in
// memory as a rule, for with so many the places are in no cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/hash.hpp"

namespace leadline::calls {

// Communicator, source, dest, tag; whether its messages are partitioned, which match their own kind only.
using Channel = std::tuple<uint64_t, int32_t, int32_t, int32_t, bool>;

class Channels {
 public:
  // The number that was given with the process's end of the channel, or else `fresh`, which it has from now on.
  uint32_t number_of(bool sends, const Channel& channel, uint32_t fresh) {
    const auto& [comm, source, dest, tag, partitioned] = channel;
    const Line common{comm, source, dest, sends, partitioned};
    const uint32_t line = lines_.try_emplace(common, static_cast<uint32_t>(lines_.size())).first->second;
    if (8 * (used_ + 1) > 7 * slots_.size()) grow();
    Slot& slot = slots_[place_of(line, tag)];
    if (slot.number == none) {
      slot = {line, tag, fresh};
      ++used_;
    }
    return slot.number;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Line {
    uint64_t comm;
    int32_t source, dest;
    bool sends, partitioned;
    bool operator==(const Line&) const = default;
  };
  struct HashLine {
    size_t operator()(const Line& l) const {
      const uint64_t ends = uint64_t{static_cast<uint32_t>(l.source)} << 32 | static_cast<uint32_t>(l.dest);
      return trace::hash_of_pair(trace::mix(l.comm, ends), uint64_t{l.sends} << 1 | l.partitioned);
    }
  };
  struct Slot {
    uint32_t line = 0;
    int32_t tag = 0;
    uint32_t number = none;
  };

  // Where the channel is, or where it is to be.
  size_t place_of(uint32_t line, int32_t tag) const {
    const uint64_t hash = trace::hash_of_pair(static_cast<uint32_t>(tag), line) * 0xff51afd7ed558ccd;
    size_t at = static_cast<size_t>((hash >> 32) * slots_.size() >> 32);
    while (slots_[at].number != none && (slots_[at].line != line || slots_[at].tag != tag)) {
      if (++at == slots_.size()) at = 0;
    }
    return at;
  }
  void grow() {
    std::vector<Slot> before(std::max<size_t>(slots_.size() + slots_.size() / 2, 16));
    before.swap(slots_);
    for (const Slot& s : before) {
      if (s.number != none) slots_[place_of(s.line, s.tag)] = s;
    }
  }

  std::unordered_map<Line, uint32_t, HashLine> lines_;
  std::vector<Slot> slots_;  // open addressing
  size_t used_ = 0;
};

}  // namespace leadline::calls
