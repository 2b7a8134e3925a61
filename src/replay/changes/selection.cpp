#include <algorithm>
#include <functional>

#include "replay/changes/change.hpp"

namespace leadline::replay {

namespace {

bool contains(const std::vector<uint32_t>& numbers, uint32_t one) {
  return std::find(numbers.begin(), numbers.end(), one) != numbers.end();
}

}  // namespace

std::vector<uint8_t> selected_leaves(const TreeClass& of, const Selection& at) {
  std::vector<uint8_t> found(of.leaves.size());
  for (size_t l = 0; l < of.leaves.size(); ++l) found[l] = contains(at.sites, of.leaves[l].leaf.site);
  const std::function<void(uint32_t)> take = [&](uint32_t body) {
    for (const Element& e : of.shape.shape.bodies[body]) {
      if (e.is_body) {
        take(e.index);
      } else if (e.index >= RecordedShape::marks) {
        found[e.index - RecordedShape::marks] = true;
      }
    }
  };
  for (uint32_t b = 0; b < of.shape.loop_of.size(); ++b) {
    if (of.shape.loop_of[b] && contains(at.loops, of.shape.loop_of[b])) take(b);
  }
  return found;
}

uint32_t requests_of(const TreeLeaf& leaf) {
  const trace::CallFacts& facts = leaf.leaf.call.facts();
  if (leaf.removed || leaf.leaf.call.refused) return 0;
  if (leaf.leaf.varies && !leaf.one_by_one) return 0;
  if (facts.requests == trace::RequestUse::makes) return 1;
  if (facts.requests == trace::RequestUse::starts) return static_cast<uint32_t>(leaf.leaf.call.parts.size());
  return 0;
}

}  // namespace leadline::replay
