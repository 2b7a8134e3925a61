// The order in which a generation's graphs are walked, piece by piece: single steps, or as long a way along the edges
// as no literal interrupts.
//
// Tokens say how far to follow the edges of the graph beneath and where to jump then; the tokens themselves are walked
// by those of the next graph (recording/graph.hpp says how they are recorded). A walk goes on at the lowest level that
// has steps left. What lies on a way is known without walking it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/reading/routes.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

// A base graph with the tokens above it. The decoded parts must outlive it.
class Order {
 public:
  static constexpr unsigned graphs = levels + 1;  // level 0: the base graph

  // `next` and `weight` of the base graph's nodes; weights, at least 1, count what a walk is measured in.
  Order(std::vector<uint32_t> next, std::vector<uint64_t> weight, uint64_t tail_run, const DecodedTokens& tokens);

  // Finds out where the edges lead. Needed once before a walk is asked for ways, not for single steps.
  void plan();
  // What going from one node to another counts, by an edge or a jump; Routes::closed if literals come in between.
  uint64_t weight(unsigned level, uint32_t from, uint32_t to) const;
  bool exists(unsigned level, uint32_t node) const { return node >= first_position && node < nodes(level); }
  uint32_t next(unsigned level, uint32_t node) const {
    return level ? tokens_->level[level - 1].nodes[node].next : next_[node];
  }
  const Token& token(unsigned level, uint32_t node) const { return tokens_->level[level - 1].nodes[node].symbol; }
  const Routes& routes(unsigned level) const { return routes_[level]; }

 private:
  friend class OrderWalk;
  friend class Visits;
  uint32_t nodes(unsigned level) const {
    return static_cast<uint32_t>(level ? tokens_->level[level - 1].nodes.size() : next_.size());
  }

  std::vector<uint32_t> next_;
  std::vector<uint64_t> weight_;
  uint64_t tail_run_;
  const DecodedTokens* tokens_;
  Routes routes_[graphs];
  bool planned_ = false;
};

class OrderWalk {
 public:
  explicit OrderWalk(const Order& order);

  // A way: `steps` along the edges of a level's graph from a node, not counted itself. A visit: one node of the base
  // graph. Literal: the caller reads the next one and says whether it was the last of its block.
  struct Piece {
    enum class Kind : uint8_t { way, visit, literal, end } kind = Kind::end;
    uint8_t level = 0;
    uint32_t node = 0;
    uint64_t steps = 0, weight = 0;
  };
  // The next piece. A way weighs at most `most_weight`.
  Piece next(uint64_t most_weight);
  // The next single step: never a way. Its weight is not given.
  Piece step() {
    Level& l = level_[0];
    if (l.in_literals) return {Piece::Kind::literal, 0, 0, 0, 0};
    if (l.run > 0) {
      const uint32_t to = order_->next_[l.current];
      if (order_->exists(0, to)) {
        --l.run;
        l.current = to;
        return {Piece::Kind::visit, 0, to, 1, 0};
      }
    }
    return move(0, false);
  }
  void literal_read(bool last) { level_[0].in_literals = !last; }
  // After the last piece that is a node of the base graph, the node.
  uint32_t base() const { return level_[0].current; }

 private:
  struct Level {
    uint32_t current = root_position;
    uint32_t pending = 0;  // the token's target; 0: none
    bool in_literals = false, tail_taken = false, ended = false;
    uint64_t run = 0;
    ByteReader literals;  // not of the base graph
  };
  Piece move(uint64_t most_weight, bool ways);
  void enter(unsigned level, uint32_t node);
  void take(unsigned level, const Token& token);  // for the walk of that level
  bool settled(unsigned level) const;

  const Order* order_;
  Level level_[Order::graphs];
  ByteReader stream_;
};

// How often each node of the base graph was visited in a walk's pieces.
class Visits {
 public:
  explicit Visits(const Order& order);
  void add(const OrderWalk::Piece& piece);
  // By node. `steps` gets the steps from node to node on the ways; may be empty.
  std::vector<uint64_t> count(const std::function<void(uint32_t from, uint32_t to, uint64_t times)>& steps = {}) const;

 private:
  const Order* order_;
  std::vector<RouteCounts> ways_;  // by level
  std::vector<uint64_t> single_;   // by node of the base graph
};

}  // namespace leadline::trace
