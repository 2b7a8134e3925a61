// Successive calls as a part of the loop tree: its complete loops, and the loops open on either side.
//
// A stretch of calls leaves loops that it did not enter, and enters loops that it does not leave. It is held as the
// bodies of the loops it leaves, from the inside outwards, the body it reaches, and the loops it has entered since. Two
// stretches are joined without looking at their calls again, and so are many repeats of one stretch.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

// The iterations of one loop that a stretch sees: the end of one, whole ones, the beginning of another; or, if control
// does not go round, a piece of one (`now`).
struct Body {
  Sequence head = 0;
  std::vector<Element> iterations;
  std::vector<Element> now;
  bool rounds = false;
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

// The effect on loops of going from one call to the next.
struct Crossing {
  uint32_t leaves = 0;     // number of loops that control leaves
  bool round = false;      // control goes round the innermost remaining loop
  uint32_t enters_at = 0;  // the loops around the second call are entered from this depth on
};

// The loops around a thread's call sites, and the transitions between two sites.
class Nest {
 public:
  explicit Nest(const trace::Stream& stream);
  // Outermost first.
  const std::vector<uint32_t>& around(uint32_t site) const { return around_[site < around_.size() ? site : 0]; }
  const Crossing& crossing(uint32_t from, uint32_t to);

 private:
  Crossing find(uint32_t from, uint32_t to) const;

  const trace::Stream& stream_;
  std::vector<std::vector<uint32_t>> around_;
  struct Known {
    uint32_t from, to;
    Crossing crossing;
  };
  std::vector<Known> known_;
  Numbering numbers_;
};

// Joins stretches.
class Parser {
 public:
  static constexpr uint32_t no_site = UINT32_MAX;

  Parser(const trace::Stream& stream, LoopTree* tree) : nest_(stream), tree_(*tree) {}

  // Adds the next call at the end of a stretch. `before`: site of the previous call, or no_site.
  void call(uint32_t before, uint32_t site, uint64_t item, uint64_t times, Stretch* stretch);
  void append(const Stretch& next, Stretch* stretch);
  // Adds `item`, whose loops are not known; all loops are left before it.
  void append_outside(uint64_t item, Stretch* stretch);
  // Repeats the stretch this many times, at least once. It must end where it begins.
  Stretch repeated(const Stretch& once, uint64_t times);
  // Leaves all loops. Returns the sequence of everything done.
  Sequence finish(Stretch* stretch);
  // Prepares the stretch for keeping: long lists become sequences.
  void pack(Stretch* stretch);

 private:
  void join(const Body& next, Body* body);
  void go_round(Body* body);
  void leave(Stretch* stretch);
  uint64_t instance(const OpenLoop& open);
  Element variant(Sequence body) const { return {Item::of(Item::Kind::variant, body), 0, 1}; }
  void pack(Body* body);

  Nest nest_;
  LoopTree& tree_;
  Numbering instances_;
};

}  // namespace leadline::structure
