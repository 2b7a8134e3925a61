// The calls of a loop tree: where each comes from, how often it occurs, and their order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

inline bool is_call(const Element& e) { return !e.is_sequence && Item(e.id).kind() == Item::Kind::call; }
// The sequence that an element leads to; 0: it is a call, or calls that are lost.
Sequence inside(const LoopTree& tree, const Element& e);

// The number of times each call occurs, by its number.
std::vector<uint64_t> count_occurrences_of_calls(const LoopTree& tree);

// The calls of a sequence of the tree in their order, by their numbers.
class CallsInOrder {
 public:
  // The tree must outlive it.
  CallsInOrder(const LoopTree& tree, Sequence sequence) : tree_(tree), stack_{{sequence, 0, 0}} {}
  // False at the end. `times` counts equal calls in a row.
  bool next(uint32_t* call, uint64_t* times);

 private:
  struct Cursor {
    Sequence sequence;
    size_t element;
    uint64_t given;  // of the element's times
  };
  const LoopTree& tree_;
  std::vector<Cursor> stack_;
};

}  // namespace leadline::structure
