// Walks a decoded graph: yields the symbols in the order they were recorded (the inverse of recording/graph.hpp).
#pragma once

#include <algorithm>
#include <optional>

#include "trace/structure.hpp"

namespace leadline::trace {

// Tokens of the topmost level.
class StreamWalk {
 public:
  explicit StreamWalk(const std::vector<uint8_t>& stream) : in_(stream.data(), stream.size()) {}
  bool next(Token* token) {
    if (in_.at_end()) return false;
    token->run = in_.varint();
    token->target = static_cast<uint32_t>(in_.varint());
    return in_.ok();
  }

 private:
  ByteReader in_;
};

// The place of a walk: shared by the walks over tokens, variations and events.
template <class Above>
class Steps {
 public:
  Steps(Above above, uint64_t tail_run) : above_(std::move(above)), tail_run_(tail_run) {}

  enum class Step { follow, jump, literals, end };

  // The next step; `target` is set for a jump.
  Step next(uint32_t* target) {
    for (;;) {
      if (run_ > 0) {
        --run_;
        return Step::follow;
      }
      if (pending_) {
        *target = *pending_;
        pending_.reset();
        return *target == literal_target ? Step::literals : Step::jump;
      }
      Token token;
      if (above_.next(&token)) {
        run_ = token.run;
        pending_ = token.target;
      } else if (!tail_taken_) {
        tail_taken_ = true;
        run_ = tail_run_;
      } else {
        return Step::end;
      }
    }
  }

 private:
  Above above_;
  uint64_t tail_run_;
  uint64_t run_ = 0;
  std::optional<uint32_t> pending_;
  bool tail_taken_ = false;
};

inline void read_literal(ByteReader& in, Token* t) {
  *t = Token{};
  t->run = in.varint();
  t->target = static_cast<uint32_t>(in.varint());
}

inline void read_literal(ByteReader& in, Variation* v) {
  *v = Variation{};
  v->position = static_cast<uint32_t>(in.varint());
  const uint8_t mask = in.byte();
  if (mask & 1) v->count = in.svarint();
  if (mask & 2) v->peer = static_cast<int32_t>(in.svarint());
  if (mask & 4) v->tag = static_cast<int32_t>(in.svarint());
  if (mask & 8) v->extra = static_cast<int32_t>(in.svarint());
  if (mask & 16) v->value = in.svarint();
}

inline void read_literal(ByteReader& in, PollRun* r) {
  const uint64_t packed = in.varint();
  *r = PollRun{packed >> 5, 0, static_cast<uint32_t>(packed >> 1) & largest_magnitude};
  if (packed & 1) r->first = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
}

template <class Symbol, class Above>
class GraphWalk {
 public:
  GraphWalk(const DecodedGraph<Symbol>& graph, Above above)
      : graph_(&graph),
        steps_(std::move(above), graph.tail_run),
        literals_(graph.literals.data(), graph.literals.size()) {}

  bool next(Symbol* symbol) {
    for (;;) {
      if (in_literals_) {
        if (literals_.at_end()) return false;  // an open block is the last thing there is
        in_literals_ = !(literals_.byte() & 1);
        read_literal(literals_, symbol);
        return literals_.ok();
      }
      uint32_t target = 0;
      using Step = typename Steps<Above>::Step;
      switch (steps_.next(&target)) {
        case Step::end:
          return false;
        case Step::literals:
          in_literals_ = true;
          current_ = root_position;
          continue;
        case Step::follow:
          if (current_ >= graph_->nodes.size()) return false;  // its times are missing
          target = graph_->nodes[current_].next;
          break;
        case Step::jump:
          break;
      }
      if (target < first_position || target >= graph_->nodes.size()) return false;
      current_ = target;
      *symbol = graph_->nodes[target].symbol;
      return true;
    }
  }

 private:
  const DecodedGraph<Symbol>* graph_;
  Steps<Above> steps_;
  ByteReader literals_;
  uint32_t current_ = root_position;
  bool in_literals_ = false;
};

using TokenWalk1 = GraphWalk<Token, StreamWalk>;
using TokenWalk2 = GraphWalk<Token, TokenWalk1>;
using TokenWalk3 = GraphWalk<Token, TokenWalk2>;
using VariationWalk = GraphWalk<Variation, TokenWalk3>;
using PollWalk = GraphWalk<PollRun, TokenWalk3>;

inline TokenWalk3 walk_tokens(const DecodedTokens& t) {
  return TokenWalk3(t.level[0], TokenWalk2(t.level[1], TokenWalk1(t.level[2], StreamWalk(t.stream))));
}
inline VariationWalk walk_variations(const Generation& g) {
  return VariationWalk(g.variations, walk_tokens(g.variation_tokens));
}
inline PollWalk walk_polls(const DecodedPolls& p) { return PollWalk(p.runs, walk_tokens(p.tokens)); }

// Applies the changes to a wild position's fields.
inline void apply(const Variation& v, Key* key) {
  key->count = wrapping_sum(key->count, v.count);
  key->value = wrapping_sum(key->value, v.value);
  key->peer = static_cast<int32_t>(static_cast<uint32_t>(key->peer) + static_cast<uint32_t>(v.peer));
  key->tag = static_cast<int32_t>(static_cast<uint32_t>(key->tag) + static_cast<uint32_t>(v.tag));
  key->extra = key->extra + static_cast<uint32_t>(v.extra);
}

// Visits of varying positions beyond the number that counting reads one by one.
uint64_t uncounted_variations(const Generation& g);

// One literal of the event stream (event_graph.cpp, add_literal).
struct EventLiteral {
  enum class Kind { position, key, repeat } kind = Kind::key;
  bool last = false;
  uint64_t number = 0;  // position, or number of repeats
};
bool read_event_literal(ByteReader& in, EventLiteral* literal, Key* previous);

}  // namespace leadline::trace
