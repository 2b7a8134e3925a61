// The events of a recorded rank by the leaf of the replay's tree that each is: what calls did that no change touched.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/recorded.hpp"
#include "trace/event.hpp"

namespace leadline::interchange::predicted {

struct RecordedKey {
  trace::Key key;
  std::vector<int64_t> words;  // that Key::extra refers to, if any
};

class RecordedKeys {
 public:
  // leaves: of the rank's class in the recording.
  RecordedKeys(const replay::Recorded& recorded, const trace::Process& process, uint32_t rank,
               const calls::RunNumbers& numbers, size_t leaves);

  // nullptr: the leaf has no calls.   call: among those of the leaf.
  const RecordedKey* of(uint32_t leaf, uint64_t call) const;
  // Whether a call at the one site was followed by one at the other.
  bool followed(uint32_t from_site, uint32_t to_site) const { return steps_.count({from_site, to_site}) != 0; }

 private:
  struct Leaf {
    std::vector<RecordedKey> kinds;
    std::vector<uint32_t> of;  // by call: its kind; empty as long as there is one kind
    std::map<std::string, uint32_t> numbers;
    uint64_t calls = 0;
  };
  void add(Leaf* leaf, const trace::Event& event);

  std::vector<Leaf> leaves_;
  std::set<std::pair<uint32_t, uint32_t>> steps_;
};

}  // namespace leadline::interchange::predicted
