#include "trace/reading/order.hpp"

#include <utility>

#include "trace/reading/literals.hpp"
#include "trace/saturating.hpp"

namespace leadline::trace {

Order::Order(std::vector<uint32_t> next, std::vector<uint64_t> weight, uint64_t tail_run, const DecodedTokens& tokens)
    : next_(std::move(next)), weight_(std::move(weight)), tail_run_(tail_run), tokens_(&tokens) {}

void Order::plan() {
  if (planned_) return;
  planned_ = true;
  for (unsigned level = 0; level < graphs; ++level) {
    std::vector<uint32_t> to(nodes(level));
    std::vector<uint64_t> weights(nodes(level), Routes::closed);
    for (uint32_t n = 0; n < to.size(); ++n) {
      to[n] = this->next(level, n);
      // The root does not tell where the walks beneath stand, and they have not started.
      if (n >= first_position) weights[n] = this->weight(level, n, to[n]);
    }
    routes_[level] = Routes(to, weights);
  }
}

uint64_t Order::weight(unsigned level, uint32_t from, uint32_t to) const {
  uint64_t sum = 0;
  for (;; --level) {
    if (!exists(level, to)) return Routes::closed;
    if (level == 0) return saturating_sum(sum, weight_[to]);
    const Token& t = token(level, to);
    const uint32_t at = token(level, from).target;
    if (t.target == literal_target || !exists(level - 1, at)) return Routes::closed;
    const Routes::Path way = routes_[level - 1].path(at, t.run);
    if (way.steps < t.run) return Routes::closed;
    sum = saturating_sum(sum, way.weight);
    from = way.end;
    to = t.target;
  }
}

OrderWalk::OrderWalk(const Order& order)
    : order_(&order), stream_(order.tokens_->stream.data(), order.tokens_->stream.size()) {
  for (unsigned i = 1; i < Order::graphs; ++i) {
    const std::vector<uint8_t>& literals = order.tokens_->level[i - 1].literals;
    level_[i].literals = ByteReader(literals.data(), literals.size());
  }
}

void OrderWalk::take(unsigned level, const Token& token) {
  level_[level].run = token.run;
  level_[level].pending = token.target;
}

// Whether the walks stand at nodes, and those beneath where the level's token left them.
bool OrderWalk::settled(unsigned level) const {
  for (; order_->exists(level, level_[level].current); --level) {
    if (level == 0) return true;
    if (order_->token(level, level_[level].current).target != level_[level - 1].current) return false;
  }
  return false;
}

void OrderWalk::enter(unsigned level, uint32_t node) {
  level_[level].current = node;
  if (level) take(level - 1, order_->token(level, node));
}

OrderWalk::Piece OrderWalk::next(uint64_t most_weight) { return move(most_weight, true); }

OrderWalk::Piece OrderWalk::move(uint64_t most_weight, bool ways) {
  for (unsigned i = 0;;) {
    Level& l = level_[i];
    if (l.in_literals) {
      if (i == 0) return {Piece::Kind::literal, 0, 0, 0, 0};
      if (l.literals.at_end()) {  // an open block is the last thing there is
        l.in_literals = false;
        l.ended = true;
        continue;
      }
      l.in_literals = !(l.literals.byte() & 1);
      Token t;
      read_literal(l.literals, &t);
      l.ended |= !l.literals.ok();
      take(--i, t);
      continue;
    }
    uint32_t to = 0;
    if (l.run > 0) {
      if (ways && settled(i)) {
        const Routes::Path way = order_->routes_[i].path(l.current, l.run, most_weight);
        if (way.steps) {
          const Piece piece{Piece::Kind::way, static_cast<uint8_t>(i), l.current, way.steps, way.weight};
          l.run -= way.steps;
          for (uint32_t node = way.end;; node = order_->token(i, node).target, --i) {
            level_[i].current = node;
            if (i == 0) return piece;
          }
        }
      }
      --l.run;
      if (l.current < order_->nodes(i)) to = order_->next(i, l.current);
    } else if (l.pending) {
      to = std::exchange(l.pending, 0);
      if (to == literal_target) {
        l.in_literals = true;
        l.current = root_position;
        continue;
      }
    } else if (!l.ended && i < levels) {
      ++i;
      continue;
    } else if (!l.ended && !stream_.at_end()) {
      Token t;
      read_literal(stream_, &t);
      l.ended = !stream_.ok();
      if (!l.ended) take(i, t);
      continue;
    } else {
      // Nothing above goes on: the level's last run, then the level beneath has its own.
      while (level_[i].tail_taken) {
        if (i-- == 0) return {};
        level_[i].ended = true;
      }
      level_[i].ended = level_[i].tail_taken = true;
      level_[i].run = i ? order_->tokens_->level[i - 1].tail_run : order_->tail_run_;
      continue;
    }
    if (!order_->exists(i, to)) {
      l.run = 0;
      l.pending = 0;
      l.ended = l.tail_taken = true;
      if (i == 0) return {};
      continue;
    }
    enter(i, to);
    if (i == 0) return {Piece::Kind::visit, 0, to, 1, order_->weight_[to]};
    --i;
  }
}

Visits::Visits(const Order& order) : order_(&order), single_(order.nodes(0)) {
  for (unsigned i = 0; i < Order::graphs; ++i) ways_.emplace_back(order.routes(i));
}

void Visits::add(const OrderWalk::Piece& piece) {
  if (piece.kind == OrderWalk::Piece::Kind::visit) ++single_[piece.node];
  if (piece.kind == OrderWalk::Piece::Kind::way) ways_[piece.level].add(piece.node, piece.steps, 1);
}

std::vector<uint64_t> Visits::count(
    const std::function<void(uint32_t from, uint32_t to, uint64_t times)>& steps) const {
  std::vector<RouteCounts> ways = ways_;
  std::vector<uint64_t> visits = single_;
  for (unsigned top = Order::graphs; top-- > 0;) {
    const std::vector<uint64_t> edges = ways[top].edges();
    for (uint32_t n = 0; n < edges.size(); ++n) {
      if (!edges[n]) continue;
      uint32_t from = n, to = order_->next(top, n);
      for (unsigned i = top; i > 0; --i) {
        const Token& t = order_->token(i, to);
        const uint32_t at = order_->token(i, from).target;
        ways[i - 1].add(at, t.run, edges[n]);
        from = order_->routes(i - 1).path(at, t.run).end;
        to = t.target;
      }
      visits[to] += edges[n];
      if (steps) steps(from, to, edges[n]);
    }
  }
  return visits;
}

}  // namespace leadline::trace
