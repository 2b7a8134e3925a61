// A predictor that turns a sequence of symbols into a graph and a few tokens.
//
// Each position of the graph holds a symbol and `next`: the position that followed it the first time, never changed.
// A symbol equal to the predicted next one costs a comparison and leaves nothing behind but a longer run. Any other is
// a miss: it is looked up where the last miss here went (`alt`), then by context (the last eight symbols), else it gets
// a new position. A miss leaves a token (length of the run, target), and tokens are the symbols of the next graph up:
// each level absorbs about one level of loop nesting. Decoding walks: follow `next` run times, jump, repeat. Since
// `next` never changes, any policy of choosing targets is exact; a bad choice only costs space or time.
//
// If prediction keeps failing, the graph gives up for a while and writes symbols out (literals), so that the cost of a
// call stays bounded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recording/position_map.hpp"
#include "recording/table.hpp"
#include "trace/bytes.hpp"
#include "trace/hash.hpp"
#include "trace/symbols.hpp"

namespace leadline::recording {

// The changing part of a graph. It lives in the mapping, so that a killed process leaves it behind.
struct GraphState {
  uint64_t run = 0;      // correctly predicted symbols since the last token
  uint64_t context = 0;  // hash of the last eight symbols
  uint32_t current = trace::root_position;
  uint32_t literals_left = 0;  // > 0 while given up
  uint32_t patience = 0;       // number of literals the next time it gives up
  int32_t failures = 0;        // (nearly) successive misses that nothing known explained
  uint32_t last_literal = 0;   // offset + 1 of the last literal's first byte, 0: none open
  uint32_t unused = 0;
};

// Decides when a graph gives up and for how long.
struct GiveUp {
  static constexpr int32_t limit = 96;
  static constexpr uint32_t shortest = 1024, longest = 1u << 16;

  static void explained(GraphState* s, uint64_t run) {
    const auto credit = static_cast<int32_t>(run < 64 ? run / 4 : 16);
    s->failures = s->failures > credit ? s->failures - credit : 0;
    if (run >= 256) s->patience = 0;
  }
  // True: stop predicting now.
  static bool unexplained(GraphState* s, uint64_t run) {
    explained(s, run);
    if (++s->failures < limit) return false;
    s->patience = s->patience ? (s->patience < longest ? s->patience * 2 : longest) : shortest;
    s->literals_left = s->patience;
    s->failures = limit - 16;
    return true;
  }
};

// The topmost level: tokens are bytes.
class TokenStream {
 public:
  void attach(ByteTable bytes) { bytes_ = bytes; }
  void reset() { bytes_.clear(); }
  void add(const trace::Token& t) {
    if (uint8_t* p = bytes_.room(2 * trace::max_varint_bytes)) {
      bytes_.advance(trace::put_varint(trace::put_varint(p, t.run), t.target));
    } else {
      bytes_.overflow();
    }
  }
  bool nearly_full() const { return bytes_.nearly_full(); }

 private:
  ByteTable bytes_;
};

template <class Symbol>
struct GraphPosition {
  Symbol symbol;
  uint32_t next;
  uint32_t alt;
  uint64_t hash;
};

template <class Symbol, class Up>
class Graph {
 public:
  using Position = GraphPosition<Symbol>;

  void attach(GraphState* state, Table<Position> positions, ByteTable literals) {
    s_ = state;
    positions_ = positions;
    literals_ = literals;
  }
  Up& up() { return up_; }

  void reset() {
    *s_ = GraphState{};
    positions_.clear();
    literals_.clear();
    map_.clear();
    positions_.append_zeroed(trace::first_position);
    up_.reset();
  }

  void add(const Symbol& symbol) {
    if (s_->literals_left) return add_literal(symbol);
    const uint32_t predicted = positions_[s_->current].next;
    if (predicted && positions_[predicted].symbol == symbol) {
      ++s_->run;
      s_->current = predicted;
      s_->context = (s_->context << 8) + positions_[predicted].hash;
      return;
    }
    miss(symbol);
  }

  bool nearly_full() const { return literals_.nearly_full() || up_.nearly_full(); }

 private:
  void miss(const Symbol& symbol) {
    const uint64_t hash = symbol.hash();
    const uint64_t context = (s_->context << 8) + hash;
    Position& here = positions_[s_->current];
    uint32_t target = here.alt && positions_[here.alt].symbol == symbol ? here.alt : 0;
    if (!target) {
      target = map_.find(trace::mix(0, context));
      if (target && !(positions_[target].symbol == symbol)) target = 0;
    }
    if (target) {
      if (here.next) GiveUp::explained(s_, s_->run);
    } else {
      if (here.next && GiveUp::unexplained(s_, s_->run)) return begin_literals(symbol);
      target = create(symbol, hash);
      if (!target) {
        s_->literals_left = GiveUp::longest;
        return begin_literals(symbol);
      }
      map_.put(trace::mix(0, context), target);
    }
    s_->context = context;
    Position& from = positions_[s_->current];
    if (!from.next) {
      from.next = target;
      ++s_->run;
    } else {
      from.alt = target;
      const trace::Token token{s_->run, target, 0};
      s_->run = 0;
      up_.add(token);
    }
    s_->current = target;
  }

  uint32_t create(const Symbol& symbol, uint64_t hash) {
    Position* p = positions_.append();
    if (!p) return 0;
    *p = Position{symbol, 0, 0, hash};
    return positions_.size() - 1;
  }

  void begin_literals(const Symbol& symbol) {
    const trace::Token token{s_->run, trace::literal_target, 0};
    s_->run = 0;
    s_->current = trace::root_position;
    s_->last_literal = 0;
    up_.add(token);
    add_literal(symbol);
  }

  // A literal's first byte says whether it is the last of its block.
  void add_literal(const Symbol& symbol) {
    uint8_t* p = literals_.room(1 + Symbol::max_literal_bytes);
    if (!p) {
      literals_.overflow();
      return;
    }
    s_->last_literal = literals_.size() + 1;
    *p = 0;
    literals_.advance(symbol.put_literal(p + 1));
    s_->context = (s_->context << 8) + symbol.hash();
    if (--s_->literals_left == 0) {
      literals_[s_->last_literal - 1] |= 1;
      s_->last_literal = 0;
    }
  }

  GraphState* s_ = nullptr;
  Table<Position> positions_;
  ByteTable literals_;
  PositionMap map_;
  Up up_;
};

using TokenPosition = GraphPosition<trace::Token>;
using Tokens3 = Graph<trace::Token, Graph<trace::Token, Graph<trace::Token, TokenStream>>>;

}  // namespace leadline::recording
