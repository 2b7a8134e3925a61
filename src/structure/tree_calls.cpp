// Counts what a loop tree stands for, and expands it.
#include "structure/tree_calls.hpp"

#include "trace/saturating.hpp"

namespace leadline::structure {

using trace::saturating_product;
using trace::saturating_sum;

Sequence inside(const LoopTree& tree, const Element& e) {
  if (e.is_sequence) return static_cast<Sequence>(e.id);
  const Item item(e.id);
  switch (item.kind()) {
    case Item::Kind::instance:
      return tree.instances[item.index()].iterations;
    case Item::Kind::variant:
      return item.index();
    case Item::Kind::call:
    case Item::Kind::lost:
      return 0;
  }
  return 0;
}

std::vector<uint64_t> LoopTree::count_calls() const {
  std::vector<uint64_t> calls(sequences.size());
  for (Sequence s = 1; s < sequences.size(); ++s) {
    for (const Element& e : sequences.elements(s)) {
      const uint64_t one = is_call(e) ? 1 : calls[inside(*this, e)];
      calls[s] = saturating_sum(calls[s], saturating_product(one, e.times));
    }
  }
  return calls;
}

std::vector<uint64_t> LoopTree::count_occurrences() const {
  std::vector<uint64_t> occur(sequences.size());
  occur[root] = 1;
  for (Sequence s = sequences.size(); s-- > 1;) {
    if (!occur[s]) continue;
    for (const Element& e : sequences.elements(s)) {
      const Sequence in = inside(*this, e);
      if (in) occur[in] = saturating_sum(occur[in], saturating_product(occur[s], e.times));
    }
  }
  return occur;
}

std::vector<uint64_t> LoopTree::count_instances() const {
  const std::vector<uint64_t> occur = count_occurrences();
  std::vector<uint64_t> all(instances.size());
  for (Sequence s = 1; s < sequences.size(); ++s) {
    for (const Element& e : sequences.elements(s)) {
      const Item item(e.id);
      if (e.is_sequence || item.kind() != Item::Kind::instance) continue;
      all[item.index()] = saturating_sum(all[item.index()], saturating_product(occur[s], e.times));
    }
  }
  return all;
}

std::vector<uint64_t> count_occurrences_of_calls(const LoopTree& tree) {
  const std::vector<uint64_t> occur = tree.count_occurrences();
  std::vector<uint64_t> all(tree.calls.size());
  for (Sequence s = 1; s < tree.sequences.size(); ++s) {
    for (const Element& e : tree.sequences.elements(s)) {
      if (!is_call(e)) continue;
      uint64_t& own = all[Item(e.id).index()];
      own = saturating_sum(own, saturating_product(occur[s], e.times));
    }
  }
  return all;
}

void for_each_call(const LoopTree& tree, const std::function<void(const CallItem& call, uint64_t times)>& visit) {
  CallsInOrder calls(tree, tree.root);
  uint32_t call = 0;
  for (uint64_t times = 0; calls.next(&call, &times);) visit(tree.calls[call], times);
}

bool CallsInOrder::next(uint32_t* call, uint64_t* times) {
  while (!stack_.empty()) {
    Cursor& at = stack_.back();
    const std::span<const Element> own = tree_.sequences.elements(at.sequence);
    if (at.element == own.size()) {
      stack_.pop_back();
      continue;
    }
    const Element& e = own[at.element];
    const Sequence in = inside(tree_, e);
    if (in && at.given++ < e.times) {
      stack_.push_back({in, 0, 0});
      continue;
    }
    ++at.element;
    at.given = 0;
    if (!is_call(e)) continue;
    *call = Item(e.id).index();
    *times = e.times;
    return true;
  }
  return false;
}

}  // namespace leadline::structure
