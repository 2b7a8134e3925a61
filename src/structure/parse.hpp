// Calls in a row as a part of the loop tree: what is complete in it, and what lies open on either side.
//
// A stretch of calls leaves loops that it did not enter, and enters loops that it does not leave. It is held as the
// bodies of the loops it leaves, from the inside outwards, the body it gets to, and the loops it has entered since. Two
// stretches join to one without looking at their calls again; so does one that comes many times in a row.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"

namespace leadline::structure {

// The iterations of one loop that a stretch sees: the end of one, whole ones, the begin of another; or, if control does
// not go round, a piece of one (`now`).
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
  std::vector<Body> left;      // of loops that were left
  std::vector<OpenLoop> open;  // the first: what lies around all that were entered
  Stretch() : open(1) {}
};

// What control does to loops between two calls.
struct Crossing {
  uint32_t leaves = 0;     // loops
  bool round = false;      // of the innermost one that is left over
  uint32_t enters_at = 0;  // depth from which on the loops around the second call are entered
};

// Which loops lie around a thread's call sites, and what lies between two of them.
class Nest {
 public:
  explicit Nest(const trace::Stream& stream);
  // The outermost first.
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

  // The next call at the end of a stretch. `before`: site of the one before, or no_site.
  void call(uint32_t before, uint32_t site, uint64_t item, uint64_t times, Stretch* stretch);
  void append(const Stretch& next, Stretch* stretch);
  // Puts `item` where nothing is known of loops; all are left before.
  void append_outside(uint64_t item, Stretch* stretch);
  // The stretch so many times, at least once. It must end where it begins.
  Stretch repeated(const Stretch& once, uint64_t times);
  // Leaves all loops; the sequence of what was done.
  Sequence finish(Stretch* stretch);
  // For keeping: long lists become sequences.
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
