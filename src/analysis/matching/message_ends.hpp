// The two ends of each message of a step, found by the message's name: its channel and its number in it.
//
// A step has as many of them as it has messages, and each end asks for its message once or twice. Hence a table of open
// addressing over a list, whose places stay where they are; the order by name is made once, at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/traffic.hpp"
#include "trace/hash.hpp"

namespace leadline::analysis {

template <class End>
class MessageEnds {
 public:
  using Name = std::pair<calls::Channel, uint64_t>;
  struct Message {
    Name name;
    End sender, receiver;
  };

  Message& of(const calls::Channel& channel, uint64_t number) {
    if (2 * messages_.size() >= slots_.size()) grow();
    const Name name{channel, number};
    uint32_t& slot = slots_[slot_of(name)];
    if (slot == none) {
      slot = static_cast<uint32_t>(messages_.size());
      messages_.push_back({name, {}, {}});
    }
    return messages_[slot];
  }

  // nullptr: nobody asked for it with of().
  const Message* find(const calls::Channel& channel, uint64_t number) const {
    if (slots_.empty()) return nullptr;
    const uint32_t at = slots_[slot_of({channel, number})];
    return at == none ? nullptr : &messages_[at];
  }

  std::vector<const Message*> by_name() const {
    std::vector<const Message*> all;
    all.reserve(messages_.size());
    for (const Message& m : messages_) all.push_back(&m);
    std::sort(all.begin(), all.end(), [](const Message* a, const Message* b) { return a->name < b->name; });
    return all;
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  static uint64_t hash_of(const Name& name) {
    const auto& [comm, source, dest, tag, partitioned] = name.first;
    const auto two = [](int32_t a, int32_t b) {
      return static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32 | static_cast<uint32_t>(b);
    };
    return trace::mix(trace::mix(trace::mix(comm, two(source, dest)), two(tag, partitioned)), name.second);
  }
  size_t slot_of(const Name& name) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash_of(name) & mask;
    while (slots_[at] != none && messages_[slots_[at]].name != name) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    slots_.assign(std::max<size_t>(2 * slots_.size(), 64), none);
    for (uint32_t m = 0; m < messages_.size(); ++m) slots_[slot_of(messages_[m].name)] = m;
  }

  std::deque<Message> messages_;
  std::vector<uint32_t> slots_;
};

}  // namespace leadline::analysis
