// The channels that a process's messages go through, numbered as they come. An irregular program has nearly as many of
// them as messages, so each takes few bytes: what many have in common is kept once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
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
    const Line common{comm, sends ? source : dest, sends, partitioned};
    const uint32_t line = lines_.try_emplace(common, static_cast<uint32_t>(lines_.size())).first->second;
    const Entry entry{line, sends ? dest : source, tag, fresh};
    if (4 * (entries_.size() + 1) > 3 * slots_.size()) grow();
    uint32_t& slot = slots_[slot_of(entry)];
    if (slot == none) {
      slot = static_cast<uint32_t>(entries_.size());
      entries_.push_back(entry);
    }
    return entries_[slot].number;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  using Line = std::tuple<uint64_t, int32_t, bool, bool>;  // communicator, own rank, sends, partitioned
  struct Entry {
    uint32_t line;
    int32_t partner, tag;
    uint32_t number;
  };

  size_t slot_of(const Entry& e) const {
    const uint64_t both = static_cast<uint64_t>(static_cast<uint32_t>(e.partner)) << 32 | static_cast<uint32_t>(e.tag);
    const size_t mask = slots_.size() - 1;
    for (size_t at = trace::hash_of_pair(both, e.line) & mask;; at = (at + 1) & mask) {
      if (slots_[at] == none) return at;
      const Entry& other = entries_[slots_[at]];
      if (other.line == e.line && other.partner == e.partner && other.tag == e.tag) return at;
    }
  }
  void grow() {
    slots_.assign(std::max<size_t>(2 * slots_.size(), 16), none);
    for (uint32_t i = 0; i < entries_.size(); ++i) slots_[slot_of(entries_[i])] = i;
  }

  std::map<Line, uint32_t> lines_;
  std::deque<Entry> entries_;
  std::vector<uint32_t> slots_;  // open addressing
};

}  // namespace leadline::calls
