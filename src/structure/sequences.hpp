// Sequences of items, each stored once however it was built: equal sequences have one number.
//
// A sequence is a list of elements; an element is an item or another sequence, repeated some number of times. Only the
// items in their order identify a sequence: two hashes of 61 and 64 bits, polynomials in the items. The hashes of
// concatenated and repeated sequences follow from those of their parts, without looking at an item again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "structure/numbering.hpp"

namespace leadline::structure {

using Sequence = uint32_t;  // 0: the empty sequence

struct Element {
  uint64_t id : 63 = 0;  // an item, or a sequence
  uint64_t is_sequence : 1 = 0;
  uint64_t times = 1;
};

// The items that elements stand for, as far as equality is concerned.
struct Content {
  struct Hash {
    uint64_t value = 0, power = 1;  // power: the base to the power of the number of items
  };
  Hash a, b;
  uint64_t items = 0;  // saturates

  void append(const Content& other, uint64_t times);
};

class Sequences {
 public:
  Sequences();

  // Returns the number of the sequence that the elements form. Adjacent equal elements should be merged (append() does
  // so).
  Sequence intern(const std::vector<Element>& elements);

  uint64_t items(Sequence s) const { return nodes_[s].content.items; }
  std::span<const Element> elements(Sequence s) const { return {nodes_[s].first, nodes_[s].count}; }
  // One more than the highest number. A sequence's elements have lower numbers than the sequence.
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  Content content_of(const Element& e) const;

  // Appends to a list that will be interned.
  void append(std::vector<Element>* list, Element e) const;
  void append(std::vector<Element>* list, Sequence s, uint64_t times = 1) const;

 private:
  struct Node {
    Content content;
    const Element* first = nullptr;
    size_t count = 0;
  };
  struct Powers {  // of the bases of the hashes
    uint64_t a = 1, b = 1;
  };
  Powers powers(size_t n);
  Content content_of(const std::vector<Element>& elements);
  const Element* store(const std::vector<Element>& elements);

  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Element[]>> blocks_;  // of elements; none ever moves
  Element* end_ = nullptr;                          // of the last block
  size_t free_ = 0;                                 // elements left in it
  std::vector<Powers> powers_{1};                   // by exponent: those needed so far
  Numbering numbers_;
};

}  // namespace leadline::structure
