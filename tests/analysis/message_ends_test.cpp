// MessageEnds hold what a map from names holds, and their places stay where they are.
#include "analysis/matching/message_ends.hpp"

#include <map>
#include <string>

#include "../native/check.hpp"
#include "../recording/programs.hpp"

namespace {

using leadline::trace::programs::below;
using leadline::trace::programs::Random;
using testing::check;

struct End {
  uint64_t value = 0;
};
using Ends = leadline::analysis::MessageEnds<End>;

// few: names meet often.   crowded: names that differ in one member alone, by little or by much.
Ends::Name drawn(Random& r, bool crowded, uint64_t few) {
  const auto any = [&]() { return static_cast<int32_t>(below(r, few)) - 1; };
  if (!crowded) return {{below(r, few), any(), any(), any(), below(r, 2) == 1}, below(r, 2 * few)};
  const uint64_t at = below(r, few);
  switch (below(r, 4)) {
    case 0:
      return {{at << 32, 0, 0, 0, false}, 0};
    case 1:
      return {{0, static_cast<int32_t>(at), static_cast<int32_t>(at), 0, false}, 0};
    case 2:
      return {{0, 0, 0, static_cast<int32_t>(at) << 16, true}, 0};
    default:
      return {{0, 0, 0, 0, false}, at << 40 | at};
  }
}

void as_a_map(uint64_t seed, bool crowded, uint64_t few, int steps) {
  const std::string what = "seed " + std::to_string(seed) + (crowded ? ", crowded" : "");
  Random r(seed);
  Ends ends;
  std::map<Ends::Name, std::pair<uint64_t, uint64_t>> expected;
  std::map<Ends::Name, Ends::Message*> places;
  for (int step = 0; step < steps; ++step) {
    const Ends::Name name = drawn(r, crowded, few);
    const auto* found = ends.find(name.first, name.second);
    check((found != nullptr) == (expected.count(name) == 1), what + ": finds what it has");
    if (below(r, 3) == 0) continue;
    Ends::Message& message = ends.of(name.first, name.second);
    check(places.try_emplace(name, &message).first->second == &message, what + ": a place has moved");
    auto& plain = expected[name];
    (step % 2 ? message.sender : message.receiver).value += static_cast<uint64_t>(step);
    (step % 2 ? plain.first : plain.second) += static_cast<uint64_t>(step);
  }
  const auto all = ends.by_name();
  bool same = all.size() == expected.size();
  auto next = expected.begin();
  for (size_t i = 0; same && i < all.size(); ++i, ++next) {
    same = all[i]->name == next->first && all[i]->sender.value == next->second.first &&
           all[i]->receiver.value == next->second.second;
  }
  check(same, what + ": other messages, or another order");
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    as_a_map(seed, false, 2 + seed, 3000);
    as_a_map(seed, true, 2000, 3000);
  }
  as_a_map(99, false, 40, 200000);
  return testing::result();
}
