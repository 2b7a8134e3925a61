// Successive calls as a part of the loop tree: its complete loops, and the loops open on either side.
//
// A stretch of calls may leave loops that it did not enter, and enter loops that it does not leave. It is held as the
// bodies of the loops it leaves, from the inside outwards, the body it reaches, and the loops it has entered since. Two
// stretches are joined without looking at their calls again, and so are many repeats of one stretch.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

// The iterations of one loop that a stretch sees: the end of one, whole ones, the beginning of another; or, if control
// does not repeat, a piece of one (`now`).
struct Body {
  Sequence head = 0;
  std::vector<Element> iterations;
  std::vector<Element> now;
  bool repeats = false;
};

struct OpenLoop {
  uint32_t loop = 0;
  Body body;
};

struct Stretch {
  std::vector<Body> left;      // the loops that were left
  std::vector<OpenLoop> open;  // the first holds the part around all loops that were entered
  Stretch() : open(1) {}
};

// The effect on loops of going from one call to the next: control leaves so many loops, then may begin the next
// iteration of the innermost one that remains, then enters so many of the loops around the second call, the innermost
// ones.
struct Crossing {
  uint32_t leaves = 0, enters = 0;
  bool repeats = false;

  bool stays() const { return !leaves && !repeats && !enters; }
};

// The loops around a thread's call sites, and the transitions between two sites.
class Nest {
 public:
  explicit Nest(const trace::Stream& stream);
  // Outermost first.
  const std::vector<uint32_t>& around(uint32_t site) const { return around_[site < around_.size() ? site : 0]; }
  const Crossing& crossing(uint32_t from, uint32_t to) {
    Known& known = known_[place(from, to)];
    if (known.from != from || known.to != to) known = {from, to, find(from, to)};
    return known.crossing;
  }

 private:
  // Those met last. There may be as many transitions as calls.
  struct Known {
    uint32_t from = UINT32_MAX, to = UINT32_MAX;
    Crossing crossing;
  };
  static constexpr unsigned place_bits = 12;
  static size_t place(uint32_t from, uint32_t to) {
    return (from * 0x9e3779b1u + to) * 0x85ebca6bu >> (32 - place_bits);
  }
  Crossing find(uint32_t from, uint32_t to) const;

  const trace::Stream& stream_;
  std::vector<std::vector<uint32_t>> around_;
  std::vector<Known> known_;
};

// Joins stretches.
class Parser {
 public:
  static constexpr uint32_t no_site = UINT32_MAX;

  Parser(const trace::Stream& stream, LoopTree* tree) : nest_(stream), tree_(*tree) {}

  // Adds the next call at the end of a stretch. `before`: site of the previous call, or no_site.
  void call(uint32_t before, uint32_t site, uint64_t item, uint64_t times, Stretch* stretch);
  void append(const Stretch& next, Stretch* stretch);
  // Adds `item`, whose loops are unknown; all loops are left before it.
  void append_outside(uint64_t item, Stretch* stretch);
  // Repeats the stretch this many times, at least once. It must end where it begins.
  Stretch repeated(const Stretch& once, uint64_t times);
  // Leaves all loops. Returns the sequence of everything done.
  Sequence finish(Stretch* stretch);
  // Prepares the stretch for keeping: long lists become sequences.
  void pack(Stretch* stretch);

 private:
  void join(const Body& next, Body* body);
  void begin_iteration(Body* body);
  void leave(Stretch* stretch);
  void enter(uint32_t site, size_t loops, Stretch* stretch);
  uint64_t instance(const OpenLoop& open);
  Element variant(Sequence body) const { return {Item::of(Item::Kind::variant, body), 0, 1}; }
  void add(Element e, std::vector<Element>* list);
  void pack(std::vector<Element>* list);
  void pack(Body* body);

  Nest nest_;
  LoopTree& tree_;
  Numbering instances_;
};

}  // namespace leadline::structure
