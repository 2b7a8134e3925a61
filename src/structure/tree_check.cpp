#include "structure/tree_check.hpp"

#include <utility>
#include <vector>

namespace leadline::structure {

namespace {

bool same(const LoopTree& tree, const CallItem& item, const trace::Event& e) {
  if (item.varies) return item.key.site == e.key.site && item.key.comm == e.key.comm;
  trace::Key expected = item.key;
  if (e.word_count) {
    const auto list = expected.extra & ~trace::link_interned;
    if (list >= tree.words.size() || tree.words[list] != std::vector<int64_t>(e.words, e.words + e.word_count)) {
      return false;
    }
    expected.extra = e.key.extra;
  }
  return expected == e.key;
}

}  // namespace

std::string difference(const trace::Stream& stream, const LoopTree& tree) {
  trace::Walker walker(stream);
  trace::Event e;
  e.times = 0;
  bool more = true;
  uint64_t number = 0;
  std::string wrong;
  for_each_call(tree, [&](const CallItem& call, uint64_t times) {
    while (times && wrong.empty()) {
      while (more && (!e.times || e.run)) more = walker.next(&e);
      if (!more) {
        wrong = "extra calls after call " + std::to_string(number);
      } else if (!same(tree, call, e)) {
        wrong = "call " + std::to_string(number) + " differs";
      } else {
        const uint64_t alike = times < e.times ? times : e.times;
        number += alike;
        times -= alike;
        e.times -= alike;
      }
    }
  });
  while (more && (!e.times || e.run)) more = walker.next(&e);
  if (wrong.empty() && more) wrong = "no calls from call " + std::to_string(number);
  if (wrong.empty() && tree.count_calls()[tree.root] != number) wrong = "its call count differs from its calls";
  return wrong;
}

}  // namespace leadline::structure
