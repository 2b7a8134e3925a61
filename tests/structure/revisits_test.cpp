// Iterations that come to a call twice are found, and no others.
#include "structure/revisits.hpp"

#include <string>
#include <vector>

#include "../native/check.hpp"

namespace {

using testing::check;
using namespace leadline::structure;

class Tree {
 public:
  Element call(uint32_t site, uint64_t times = 1) {
    CallItem item{};
    item.key.site = site;
    tree.calls.push_back(item);
    return {Item::of(Item::Kind::call, tree.calls.size() - 1), 0, times};
  }
  Element loop_within(Sequence body) {
    tree.instances.push_back({2, tree.sequences.intern({{Item::of(Item::Kind::variant, body), 0, 5}})});
    return {Item::of(Item::Kind::instance, tree.instances.size() - 1), 0, 1};
  }
  Sequence body(const std::vector<Element>& elements) { return tree.sequences.intern(elements); }
  Element part(Sequence s, uint64_t times) { return {s, 1, times}; }
  LoopTree tree;
};

void expect(Tree* tree, Sequence body, uint64_t expected, const std::string& what) {
  const std::vector<bool> files{false, false, false, true};  // site 3
  check(Revisits(tree->tree, files).among({{body, 7}}) == expected, what);
}

}  // namespace

int main() {
  Tree t;
  expect(&t, t.body({t.call(1), t.call(2)}), 0, "each call once");
  expect(&t, t.body({t.call(1), t.call(2), t.call(1)}), 7, "a call again after another one");
  expect(&t, t.body({t.call(1), t.call(2, 3)}), 7, "a call three times in a row");
  expect(&t, t.body({t.call(3, 2), t.call(1), t.call(3)}), 0, "libc's calls for one statement");
  const Sequence within = t.body({t.call(1), t.call(2)});
  expect(&t, t.body({t.call(0), t.part(within, 1)}), 0, "a part of the sequence");
  expect(&t, t.body({t.call(0), t.part(within, 2)}), 7, "the same part twice");
  expect(&t, t.body({t.call(0), t.loop_within(within)}), 0, "iterations of a loop within");
  const Sequence once = t.body({t.call(4)}), twice = t.body({t.call(4), t.call(5), t.call(4)});
  check(Revisits(t.tree, {}).among({{once, 10}, {twice, 3}}) == 3, "iterations of two kinds");
  return testing::result();
}
