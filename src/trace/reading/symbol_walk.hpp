// The symbols of a graph in the order in which they were recorded: variations of parameters, runs of failed polls.
#pragma once

#include "trace/reading/literals.hpp"
#include "trace/reading/order.hpp"

namespace leadline::trace {

inline uint64_t weight_of(const Variation&) { return 1; }
// The entries of a series that it stands for: the events before the run, and the run.
inline uint64_t weight_of(const PollRun& r) { return r.distance < UINT64_MAX ? r.distance + 1 : UINT64_MAX - 1; }

template <class Symbol>
Order order_of(const DecodedGraph<Symbol>& graph, const DecodedTokens& tokens) {
  std::vector<uint32_t> next(graph.nodes.size());
  std::vector<uint64_t> weight(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    next[n] = graph.nodes[n].next;
    weight[n] = weight_of(graph.nodes[n].symbol);
  }
  return Order(std::move(next), std::move(weight), graph.tail_run, tokens);
}

// The graph and its order must outlive the walk. Copies go on by themselves.
template <class Symbol>
class SymbolWalk {
 public:
  SymbolWalk(const DecodedGraph<Symbol>& graph, const Order& order)
      : graph_(&graph), walk_(order), literals_(graph.literals.data(), graph.literals.size()) {}

  bool next(Symbol* symbol) { return take(walk_.step(), symbol); }
  OrderWalk::Piece step() { return walk_.step(); }

  // A way of at most that weight, or one symbol.
  OrderWalk::Piece piece(uint64_t most_weight) { return walk_.next(most_weight); }
  // The symbol of a piece that is no way. False at the end.
  bool take(const OrderWalk::Piece& piece, Symbol* symbol) {
    switch (piece.kind) {
      case OrderWalk::Piece::Kind::visit:
        *symbol = graph_->nodes[piece.node].symbol;
        return true;
      case OrderWalk::Piece::Kind::literal:
        if (literals_.at_end()) return false;  // an open block is the last thing there is
        walk_.literal_read(literals_.byte() & 1);
        read_literal(literals_, symbol);
        return literals_.ok();
      case OrderWalk::Piece::Kind::way:
      case OrderWalk::Piece::Kind::end:
        return false;
    }
    return false;
  }

 private:
  const DecodedGraph<Symbol>* graph_;
  OrderWalk walk_;
  ByteReader literals_;
};

}  // namespace leadline::trace
