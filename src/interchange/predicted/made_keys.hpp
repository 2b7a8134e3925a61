// Events of calls that a change made: what the recorder would have written of them (docs/reference/format.md, Events).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "interchange/predicted/recorded_keys.hpp"
#include "replay/tree.hpp"
#include "trace/process.hpp"

namespace leadline::interchange::predicted {

// The requests of a rank that are under way, by the events that made them.
class MadeRequests {
 public:
  void add(const trace::Key& maker) {
    makers_.push_back(maker);
    if (makers_.size() > most) makers_.pop_front();
  }
  // nullptr: unknown.   age: how many requests ago it was made, 1 = the last one.
  const trace::Key* made_ago(uint64_t age) const {
    return age && age <= makers_.size() ? &makers_[makers_.size() - age] : nullptr;
  }

 private:
  static constexpr size_t most = size_t{1} << 17;
  std::deque<trace::Key> makers_;
};

class MadeKeys {
 public:
  // bytes_type: a datatype of one byte.   member: the rank's number in its class.
  MadeKeys(const trace::Process& process, uint32_t bytes_type, size_t member);

  // The functions that a call of a leaf made by a change is of: one, or two where a call sent and received, and its
  // halves are started one by one.
  static std::vector<trace::Function> functions_of(const replay::TreeLeaf& leaf);
  // As many events.   sites: of these functions.   like: an event of the leaf that it was made from, or nullptr.
  // Empty: it is not known what to write.
  std::vector<RecordedKey> of(const replay::TreeLeaf& leaf, const std::vector<uint32_t>& sites, const RecordedKey* like,
                              const MadeRequests& requests) const;

 private:
  const calls::LeafPart& part(const replay::TreeLeaf& leaf, size_t p) const { return leaf.leaf.parts[p].of(member_); }
  uint32_t communicator(uint64_t identity) const;
  void set_bytes(int64_t bytes, const RecordedKey* like, trace::Key* key) const;
  void set_partner(const replay::TreeLeaf& leaf, size_t p, trace::Key* key) const;
  RecordedKey message(const replay::TreeLeaf& leaf, size_t p, uint32_t site, const RecordedKey* like) const;
  RecordedKey exchange(const replay::TreeLeaf& leaf, uint32_t site) const;
  RecordedKey completion(const replay::TreeLeaf& leaf, uint32_t site, const MadeRequests& requests) const;
  RecordedKey completions(const replay::TreeLeaf& leaf, uint32_t site, const MadeRequests& requests) const;
  RecordedKey started(const replay::TreeLeaf& leaf, uint32_t site, const RecordedKey& like) const;
  RecordedKey collective(const replay::TreeLeaf& leaf, uint32_t site, const RecordedKey* like) const;

  const trace::Process& process_;
  uint32_t bytes_type_;
  size_t member_;
  std::map<uint64_t, uint32_t> communicators_;  // by identity
};

}  // namespace leadline::interchange::predicted
