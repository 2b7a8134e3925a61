// Places the tables of the tokens above a graph.
#pragma once

#include "recording/live.hpp"

namespace leadline::recording {

template <class State, class Used>
struct TokenTables {
  State* states;
  Used* positions;
  size_t positions_at;
  Used* literals;
  size_t literals_at;
  Used* stream;
  size_t stream_at;
};
using TokensIn = TokenTables<GraphState, TableState>;
using TokensOf = TokenTables<const GraphState, const TableState>;

inline void attach_tokens(Tokens3* tokens, const TokensIn& at, char* region, Backing backing, uint64_t* lost) {
  const auto bytes = [&](TableState* state, size_t place) {
    return ByteTable(state, region + place, capacity::token_bytes, backing, lost);
  };
  const auto level = [&](auto& graph, uint32_t i) {
    graph.attach(&at.states[i],
                 {&at.positions[i], region + at.positions_at + i * thread_at::token_positions_size,
                  capacity::token_positions, backing},
                 bytes(&at.literals[i], at.literals_at + i * pages(capacity::token_bytes)));
  };
  level(*tokens, 0);
  level(tokens->up(), 1);
  level(tokens->up().up(), 2);
  tokens->up().up().up().attach(bytes(at.stream, at.stream_at));
}

}  // namespace leadline::recording
