#include "structure/inner_rows.hpp"

#include <algorithm>
#include <numeric>

#include "structure/tree_calls.hpp"
#include "trace/saturating.hpp"

namespace leadline::structure {

using trace::saturating_product;
using trace::saturating_sum;

namespace {

constexpr uint64_t most_expanded = uint64_t{1} << 20;

// By sequence: how often the loop is entered in it, not within another loop.
std::vector<uint64_t> entries_of(const LoopTree& tree, uint32_t loop) {
  std::vector<uint64_t> found(tree.sequences.size());
  for (Sequence s = 1; s < tree.sequences.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      const Item item(e.id);
      uint64_t one = 0;
      if (e.is_sequence) {
        one = found[e.id];
      } else if (item.kind() == Item::Kind::instance) {
        one = tree.instances[item.index()].loop == loop;
      }
      found[s] = saturating_sum(found[s], saturating_product(one, e.times));
    }
  }
  return found;
}

// Whether no iteration of the outer loop enters the inner one twice.
bool entered_once(const LoopTree& tree, uint32_t outer, uint32_t inner) {
  const std::vector<uint64_t> entries = entries_of(tree, inner);
  std::vector<bool> of_outer(tree.sequences.size());
  for (const LoopInstance& i : tree.instances) {
    if (i.loop == outer) of_outer[i.iterations] = true;
  }
  for (Sequence s = tree.sequences.size(); s-- > 1;) {
    if (!of_outer[s]) continue;
    for (const Element& e : tree.sequences.elements(s)) {
      if (e.is_sequence) {
        of_outer[e.id] = true;
      } else if (Item(e.id).kind() == Item::Kind::variant && entries[Item(e.id).index()] > 1) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<InnerRows> inner_rows(const LoopTree& tree, const trace::Stream& stream, uint32_t outer) {
  const std::vector<uint64_t> occur = tree.count_instances(), calls = tree.count_calls();
  std::map<uint32_t, uint64_t> made;  // calls, by loop
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const LoopInstance& instance = tree.instances[i];
    if (!occur[i] || instance.loop >= stream.loops.size() || stream.loops[instance.loop].outer != outer) continue;
    uint64_t& own = made[instance.loop];
    own = saturating_sum(own, saturating_product(occur[i], calls[instance.iterations]));
  }
  const auto most =
      std::max_element(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == made.end() || !entered_once(tree, outer, most->first)) return {};
  InnerRows rows;
  rows.inner = most->first;
  for (size_t i = 0; i < tree.instances.size(); ++i) {
    const LoopInstance& instance = tree.instances[i];
    if (!occur[i] || instance.loop != rows.inner) continue;
    const uint64_t items = tree.sequences.items(instance.iterations);
    rows.longest = std::max(rows.longest, items);
    rows.divisor = std::gcd(rows.divisor, items);
    rows.iterations = saturating_sum(rows.iterations, saturating_product(items, occur[i]));
    rows.rows = saturating_sum(rows.rows, occur[i]);
    rows.entered.emplace(instance.iterations, occur[i]);
  }
  if (rows.longest < 2) return {};
  return rows;
}

std::vector<Sequence> expanded_row(const LoopTree& tree, Sequence row) {
  std::vector<Sequence> found;
  if (tree.sequences.items(row) > most_expanded) return found;
  struct Place {
    Sequence sequence;
    uint64_t left;
    size_t element;
  };
  std::vector<Place> stack{{row, 1, 0}};
  while (!stack.empty()) {
    Place& at = stack.back();
    const std::span<const Element> own = tree.sequences.elements(at.sequence);
    if (at.element == own.size()) {
      at.element = 0;
      if (!--at.left) stack.pop_back();
      continue;
    }
    const Element e = own[at.element++];
    if (e.is_sequence) {
      stack.push_back({static_cast<Sequence>(e.id), e.times, 0});
    } else {
      found.insert(found.end(), e.times, Item(e.id).index());
    }
  }
  return found;
}

}  // namespace leadline::structure
