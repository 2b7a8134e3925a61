// The calls of a loop tree: where each comes from, how often it occurs, and their order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::structure {

// The tree of a thread's calls, and which of them each place of the trace's graphs is, whose times are the place's.
// `call`: its number; `no_call`: the place is that of several calls of the site. Places of generations whose order is
// not known are left out.
inline constexpr uint32_t no_call = UINT32_MAX;
using EachPlace = std::function<void(uint32_t call, const trace::DecodedPosition& place)>;
LoopTree loop_tree(const trace::Stream& stream, const EachPlace& each);

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
