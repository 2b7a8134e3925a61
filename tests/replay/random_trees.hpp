// Recorded programs made by hand or at random, as trees that changes work on. Ranks are in one class, or in two by
// parity, or the first one is alone in its class.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "replay/tree.hpp"

namespace leadline::test {

using namespace leadline::replay;
using leadline::calls::Leaf;
using leadline::calls::LeafPart;
using leadline::structure::CallPart;
using leadline::trace::CallClass;
using leadline::trace::RequestUse;
namespace moves = leadline::trace::moves;

inline constexpr uint32_t main_loop_number = 5;
inline constexpr uint64_t world = 1;  // the communicator's identity

enum class Classes : uint8_t { one, by_parity, first_alone };

class TreeBuilder {
 public:
  TreeBuilder(uint32_t ranks, Classes classes) : ranks_(ranks), states_(classes == Classes::one ? 1 : 2) {
    tree.main_loop = main_loop_number;
    for (uint32_t r = 0; r < ranks; ++r) {
      TreeMember& member = tree.members.emplace_back();
      member.of_class = classes == Classes::by_parity ? r % 2 : classes == Classes::first_alone ? r > 0 : 0;
      member.number = states_[member.of_class].ranks.size();
      states_[member.of_class].ranks.push_back(r);
      tree.communicators[world].push_back(static_cast<int32_t>(r));
    }
    for (State& s : states_) {
      TreeClass& c = tree.classes.emplace_back();
      c.shape.shape.calls = RecordedShape::marks;
      s.open = {body(c.shape, 0, false)};
      c.shape.shape.root = s.open.back();
      s.made = {0};
    }
  }

  Tree tree;

  size_t classes() const { return states_.size(); }
  bool first_is_alone() const { return states_.size() == 2 && states_.front().ranks.size() == 1; }
  uint32_t ranks() const { return ranks_; }

  // Messages to and from the rank so far away, around the ring or only within the row. `site`: also the call's.
  void send(size_t c, int32_t away, int32_t tag, int64_t bytes, uint32_t site, bool ring = true) {
    Leaf leaf = leaf_of(c, CallClass::send, "MPI_Send", site);
    add_part(c, &leaf, moves::sends, RequestUse::none, away, tag, bytes, ring);
    call(c, leaf);
  }
  void receive(size_t c, int32_t away, int32_t tag, int64_t bytes, uint32_t site, bool ring = true) {
    Leaf leaf = leaf_of(c, CallClass::recv, "MPI_Recv", site);
    add_part(c, &leaf, moves::receives, RequestUse::none, away, tag, bytes, ring);
    call(c, leaf);
  }
  void send_and_receive(size_t c, int32_t to, int32_t from, int32_t tag, int64_t bytes, uint32_t site,
                        bool ring = true) {
    Leaf leaf = leaf_of(c, CallClass::sendrecv, "MPI_Sendrecv", site);
    add_part(c, &leaf, moves::sends, RequestUse::none, to, tag, bytes, ring);
    add_part(c, &leaf, moves::receives, RequestUse::none, from, tag, bytes, ring);
    call(c, leaf);
  }
  void send_to_first(size_t c, int32_t tag, int64_t bytes, uint32_t site, int64_t more_each = 0) {
    with_first(c, leaf_of(c, CallClass::send, "MPI_Send", site), moves::sends, tag, bytes, more_each);
  }
  void receive_from_first(size_t c, int32_t tag, int64_t bytes, uint32_t site, int64_t more_each = 0) {
    with_first(c, leaf_of(c, CallClass::recv, "MPI_Recv", site), moves::receives, tag, bytes, more_each);
  }
  uint64_t isend(size_t c, int32_t away, int32_t tag, int64_t bytes, uint32_t site, bool ring = true) {
    Leaf leaf = leaf_of(c, CallClass::isend, "MPI_Isend", site);
    add_part(c, &leaf, moves::sends, RequestUse::makes, away, tag, bytes, ring);
    call(c, leaf);
    return ++states_[c].made.back();
  }
  uint64_t ireceive(size_t c, int32_t away, int32_t tag, int64_t bytes, uint32_t site, bool ring = true) {
    Leaf leaf = leaf_of(c, CallClass::irecv, "MPI_Irecv", site);
    add_part(c, &leaf, moves::receives, RequestUse::makes, away, tag, bytes, ring);
    call(c, leaf);
    return ++states_[c].made.back();
  }
  // For requests of the same body.
  void wait(size_t c, const std::vector<uint64_t>& requests, uint32_t site) {
    Leaf leaf = leaf_of(c, CallClass::waitall, "MPI_Waitall", site);
    for (const uint64_t r : requests) {
      const TreeLeaf& maker = tree.classes[c].leaves[states_[c].maker_of(r)];
      CallPart part = maker.leaf.call.parts.front();
      part.request = RequestUse::completes;
      part.names_message = false;
      part.maker.age = states_[c].made.back() - r + 1;
      leaf.call.parts.push_back(part);
      leaf.parts.push_back(maker.leaf.parts.front());
      leaf.makers.push_back(0);
      leaf.modes.push_back(leadline::trace::SendMode::standard);
    }
    call(c, leaf);
  }
  void collective(size_t c, const char* function, int64_t bytes, uint32_t site) {
    Leaf leaf = leaf_of(c, CallClass::coll, function, site);
    for (const uint8_t way : {moves::contributes, moves::collects}) {
      CallPart part;
      part.moves = way;
      leaf.call.parts.push_back(part);
      leaf.makers.push_back(0);
      leaf.modes.push_back(leadline::trace::SendMode::standard);
      auto& column = leaf.parts.emplace_back();
      for (size_t m = 0; m < states_[c].ranks.size(); ++m) {
        LeafPart mine;
        mine.identity = world;
        mine.posted_bytes = bytes;
        (way == moves::contributes ? mine.out_bytes : mine.in_bytes) = bytes;
        column.add(mine);
      }
    }
    leaf.posted_bytes = {};
    for (size_t m = 0; m < states_[c].ranks.size(); ++m) leaf.posted_bytes.add(bytes);
    call(c, leaf);
  }
  // counts: of elements of 8 bytes, which a rank sends to another one.
  template <class Counts>
  void all_to_all_by_counts(size_t c, const Counts& counts, uint32_t site) {
    Leaf leaf = leaf_of(c, CallClass::coll, "MPI_Alltoallv", site);
    CallPart part;
    part.moves = moves::contributes | moves::collects;
    leaf.call.parts.push_back(part);
    leaf.makers.push_back(0);
    leaf.modes.push_back(leadline::trace::SendMode::standard);
    auto& column = leaf.parts.emplace_back();
    for (const uint32_t rank : states_[c].ranks) {
      calls::LeafCounts own;
      LeafPart mine;
      mine.identity = world;
      for (uint32_t other = 0; other < ranks_; ++other) {
        own.send.push_back(counts(rank, other));
        own.receive.push_back(counts(other, rank));
        mine.out_bytes += 8 * own.send.back();
        mine.in_bytes += 8 * own.receive.back();
      }
      leaf.counts.add(own);
      column.add(mine);
    }
    call(c, leaf);
  }
  void local(size_t c, uint32_t site) { call(c, leaf_of(c, CallClass::local, "MPI_Wtime", site)); }
  // By a rank alone, which takes so long.
  void file(size_t c, float ns, uint32_t site) {
    takes_ns_ = ns;
    call(c, leaf_of(c, CallClass::posix_write, "write", site));
    takes_ns_ = usual_duration_ns;
  }
  // Computation before the next call.
  void compute(size_t c, float ns) { states_[c].before = ns; }
  // Of all sends from now on.
  void sends_are(leadline::trace::SendMode mode) { mode_ = mode; }

  void loop(size_t c, uint32_t number, uint64_t iterations) {
    State& s = states_[c];
    RecordedShape& shape = tree.classes[c].shape;
    const uint32_t all = body(shape, number, false), one = body(shape, 0, true);
    shape.shape.bodies[all].push_back({one, true, iterations});
    std::vector<Element>& outer = shape.shape.bodies[s.open.back()];
    if (number == main_loop_number) {
      shape.main_body = all;
      outer.push_back({0, false, 1});
    }
    outer.push_back({all, true, 1});
    if (number == main_loop_number) outer.push_back({1, false, 1});
    s.open.push_back(one);
    s.made.push_back(0);
  }
  void end(size_t c) {
    states_[c].open.pop_back();
    states_[c].made.pop_back();
  }

  // The last elements of the body become a sequence of its own, as where others have the same calls.
  void in_common(size_t c, size_t count) {
    RecordedShape& shape = tree.classes[c].shape;
    const uint32_t common = body(shape, 0, false);
    std::vector<Element>& all = shape.shape.bodies[states_[c].open.back()];
    shape.shape.bodies[common].assign(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    all.resize(all.size() - count);
    all.push_back({common, true, 1});
  }

  // After all calls. The computation before each call varies by so much.
  void finish(std::mt19937_64* random, uint32_t vary_ns) {
    for (size_t c = 0; c < states_.size(); ++c) tree.classes[c].shape.recount();
    for (TreeMember& member : tree.members) {
      TreeClass& own = tree.classes[member.of_class];
      member.before_ns.resize(own.leaves.size());
      member.during_ns.resize(own.leaves.size());
      own.shape.for_each_call([&](uint32_t leaf, uint64_t) {
        const float more = vary_ns ? static_cast<float>((*random)() % vary_ns) : 0;
        member.before_ns[leaf].push_back(states_[member.of_class].usual_ns[leaf] + more);
        member.during_ns[leaf].push_back(states_[member.of_class].takes_ns[leaf]);
      });
    }
  }

 private:
  struct State {
    std::vector<uint32_t> ranks;
    std::vector<uint32_t> open;    // bodies
    std::vector<uint64_t> made;    // requests in each of these
    std::vector<float> usual_ns;   // before the calls, by leaf
    std::vector<float> takes_ns;   // the calls themselves
    std::vector<uint32_t> makers;  // leaves, of all requests
    float before = 0;
    uint32_t maker_of(uint64_t request) const { return makers[makers.size() - (made.back() - request) - 1]; }
  };

  static uint32_t body(RecordedShape& s, uint32_t loop, bool is_iteration) {
    s.shape.bodies.emplace_back();
    s.loop_of.push_back(loop);
    s.is_iteration.push_back(is_iteration);
    return static_cast<uint32_t>(s.shape.bodies.size() - 1);
  }

  Leaf leaf_of(size_t c, CallClass cls, const char* function, uint32_t site) const {
    Leaf leaf;
    leaf.site = site;
    leaf.function = function;
    leaf.call.cls = cls;
    for (size_t m = 0; m < states_[c].ranks.size(); ++m) {
      leaf.posted_bytes.add(0);
      leaf.times.add({1, 0, takes_ns_, states_[c].before, 0, 5, 20, {}, 0});
      leaf.identity.add(world);
      leaf.partner.add({});
    }
    return leaf;
  }

  void with_first(size_t c, Leaf leaf, uint8_t way, int32_t tag, int64_t bytes, int64_t more_each) {
    add_part(c, &leaf, way, RequestUse::none, 0, tag, bytes, true);
    calls::Column<LeafPart> column;
    for (size_t m = 0; m < states_[c].ranks.size(); ++m) {
      LeafPart mine = leaf.parts.front().of(m);
      mine.partner = {{-static_cast<int32_t>(states_[c].ranks[m]), 0, 0}};
      mine.posted_bytes = bytes + more_each * static_cast<int64_t>(m);
      (way == moves::sends ? mine.out_bytes : mine.in_bytes) = mine.posted_bytes;
      column.add(mine);
    }
    leaf.parts.front() = column;
    call(c, leaf);
  }
  void add_part(size_t c, Leaf* leaf, uint8_t moves, RequestUse request, int32_t away, int32_t tag, int64_t bytes,
                bool ring) {
    CallPart part;
    part.moves = moves;
    part.request = request;
    part.names_message = true;
    leaf->call.parts.push_back(part);
    leaf->makers.push_back(0);
    leaf->modes.push_back(moves == moves::sends ? mode_ : leadline::trace::SendMode::standard);
    auto& column = leaf->parts.emplace_back();
    for (const uint32_t rank : states_[c].ranks) {
      const auto n = static_cast<int32_t>(ranks_);
      int32_t other = static_cast<int32_t>(rank) + away;
      if (ring) other = (other + n) % n;
      LeafPart mine;
      mine.identity = world;
      mine.tag = tag;
      if (other < 0 || other >= n) {
        mine.partner = {{leadline::trace::peer_null, leadline::trace::peer_null, -1}};
      } else {
        mine.partner = {{away, other, other}};
        mine.posted_bytes = bytes;
        (moves == moves::sends ? mine.out_bytes : mine.in_bytes) = bytes;
      }
      column.add(mine);
    }
  }

  void call(size_t c, const Leaf& leaf) {
    State& s = states_[c];
    TreeClass& own = tree.classes[c];
    const auto number = static_cast<uint32_t>(own.leaves.size());
    own.leaves.push_back({leaf, leaf.site, 1, number});
    own.shape.shape.bodies[s.open.back()].push_back({own.shape.shape.calls++, false, 1});
    s.usual_ns.push_back(s.before);
    s.takes_ns.push_back(takes_ns_);
    s.before = 0;
    if (leaf.call.facts().requests == RequestUse::makes) s.makers.push_back(number);
  }

  static constexpr float usual_duration_ns = 10;

  uint32_t ranks_;
  std::vector<State> states_;
  float takes_ns_ = usual_duration_ns;
  leadline::trace::SendMode mode_ = leadline::trace::SendMode::standard;
};

// Steps of a main loop with exchanges, fields in a row and in loops, reductions, and messages of all ranks to the first
// one. Whatever a class does, the others do the same in the same order, so that no rank waits for ever.
class RandomTree {
 public:
  explicit RandomTree(uint64_t seed)
      : random_(seed), builder_(2 * (1 + below(3)), static_cast<Classes>(below(3))), steps_(2 + below(5)) {
    each([&](size_t c) { builder_.loop(c, main_loop_number, steps_); });
    for (uint32_t n = 1 + below(4); n; --n) some();
    each([&](size_t c) { builder_.end(c); });
    some();
    builder_.finish(&random_, below(2) ? 300 : 0);
  }

  const Tree& tree() const { return builder_.tree; }
  // Of all calls of one kind: a random part of their sites.
  std::vector<uint32_t> some_sites() {
    std::vector<uint32_t> found;
    for (uint32_t site = 10; site < next_; ++site)
      if (below(4)) found.push_back(site);
    return found;
  }
  // Of the messages to the first rank.
  const std::vector<uint32_t>& collected() const { return collected_; }
  const std::vector<uint32_t>& distributed() const { return distributed_; }
  std::vector<uint32_t> all_sites() const {
    std::vector<uint32_t> found;
    for (uint32_t site = 10; site < next_; ++site) found.push_back(site);
    return found;
  }

 private:
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  template <class Do>
  void each(const Do& what) {
    for (size_t c = 0; c < builder_.classes(); ++c) what(c);
  }
  void computes() {
    const auto ns = static_cast<float>(below(3) ? below(3000) : 30000 + below(60000));
    each([&](size_t c) { builder_.compute(c, ns); });
  }

  void some() {
    const uint32_t kind = below(7);
    if (kind == 0) return reductions();
    if (kind == 1) return to_first();
    if (kind == 6) return from_first();
    if (kind == 2) {  // a loop of exchanges
      const uint32_t number = 20 + next_;
      const uint64_t fields = 2 + below(3);
      each([&](size_t c) { builder_.loop(c, number, fields); });
      exchange(below(3), 1 + below(2), below(2) == 0);
      each([&](size_t c) { builder_.end(c); });
      return;
    }
    const uint32_t way = below(3), far = 1 + below(2);
    const bool ring = below(2) == 0;
    for (uint32_t fields = 1 + below(4); fields; --fields) exchange(way, far, ring);
  }

  void exchange(uint32_t way, uint32_t far, bool ring) {
    computes();
    const auto away = static_cast<int32_t>(far);
    const int64_t bytes = 8 * (1 + below(400));
    const uint32_t site = next_;
    next_ += 8;
    const bool slow = below(4) == 0;
    using leadline::trace::SendMode;
    builder_.sends_are(way != 1 && below(4) == 0 ? SendMode::synchronous : SendMode::standard);
    each([&](size_t c) {
      if (way == 0) {
        const uint64_t a = builder_.ireceive(c, -away, 1, bytes, site, ring);
        const uint64_t b = builder_.ireceive(c, away, 2, bytes, site + 1, ring);
        if (slow) builder_.compute(c, 25000);
        const uint64_t d = builder_.isend(c, away, 1, bytes, site + 2, ring);
        const uint64_t e = builder_.isend(c, -away, 2, bytes, site + 3, ring);
        builder_.local(c, site + 6);
        builder_.wait(c, {a, b}, site + 4);
        builder_.wait(c, {d, e}, site + 5);
      } else if (way == 1) {
        builder_.send_and_receive(c, away, -away, 3, bytes, site, ring);
        if (slow) builder_.compute(c, 25000);
        builder_.send_and_receive(c, -away, away, 4, bytes, site + 1, ring);
      } else {
        const uint64_t a = builder_.ireceive(c, -away, 5, bytes, site, ring);
        builder_.send(c, away, 5, bytes, site + 1, ring);
        builder_.wait(c, {a}, site + 2);
      }
    });
    builder_.sends_are(SendMode::standard);
    if (below(4) == 0) each([&](size_t c) { builder_.file(c, static_cast<float>(1000 * (1 + c)), site + 7); });
  }

  void reductions() {
    for (uint32_t n = 1 + below(3); n; --n) {
      computes();
      const uint32_t site = next_++;
      const int64_t bytes = 8 * (1 + below(20));
      each([&](size_t c) { builder_.collective(c, "MPI_Allreduce", bytes, site); });
    }
  }

  // From all others, if the first rank is alone in its class.
  void to_first() {
    if (!builder_.first_is_alone()) return reductions();
    computes();
    const uint32_t site = next_;
    next_ += builder_.ranks() + 1;
    const int64_t bytes = 8 * (1 + below(400));
    for (uint32_t other = 1; other < builder_.ranks(); ++other)
      builder_.receive(0, static_cast<int32_t>(other), 9, bytes, site + other);
    builder_.send_to_first(1, 9, bytes, site);
    for (uint32_t s = site; s < next_; ++s) collected_.push_back(s);
  }

  // To all others, likewise.
  void from_first() {
    if (!builder_.first_is_alone()) return reductions();
    computes();
    const uint32_t site = next_;
    next_ += builder_.ranks() + 1;
    const int64_t bytes = 8 * (1 + below(400));
    for (uint32_t other = 1; other < builder_.ranks(); ++other)
      builder_.send(0, static_cast<int32_t>(other), 11, bytes, site + other);
    builder_.receive_from_first(1, 11, bytes, site);
    for (uint32_t s = site; s < next_; ++s) distributed_.push_back(s);
  }

  std::mt19937_64 random_;
  TreeBuilder builder_;
  uint64_t steps_;
  uint32_t next_ = 10;  // site
  std::vector<uint32_t> collected_, distributed_;
};

}  // namespace leadline::test
