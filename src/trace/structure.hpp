// A generation of a thread's events as the reader holds it: the graph of positions and the tokens that walk it
// (recording/graph.hpp says how they are recorded). All indices are checked during decoding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/event.hpp"
#include "trace/process.hpp"
#include "trace/symbols.hpp"
#include "trace/written.hpp"

namespace leadline::trace {

struct DecodedPosition {
  Key key;  // for a wild position: the first key
  uint32_t next = 0;
  uint32_t mode = 0;  // 0 or one of mode_times_only, mode_bag, mode_bag_coarse, mode_first_wild
  uint64_t fixed_visits = 0;
  TimeStats times;
  int64_t amount = 0;  // mode_bag_coarse
};

template <class Symbol>
struct DecodedGraph {
  struct Node {
    Symbol symbol;
    uint32_t next = 0;
  };
  uint64_t tail_run = 0;
  std::vector<Node> nodes;
  std::vector<uint8_t> literals;
};

struct DecodedTokens {
  DecodedGraph<Token> level[levels];
  std::vector<uint8_t> stream;
};

// Failed polls of a generation: not events, but places between events.
struct DecodedPolls {
  struct Site {
    Key key;
    TimeStats times;
  };
  std::vector<Site> sites;
  uint64_t tail = 0;               // polls after the last event
  uint32_t tail_site = 0;          // site of the first of these: index
  uint64_t kept = 0, dropped = 0;  // runs with a known place, and other runs
  DecodedGraph<PollRun> runs;
  DecodedTokens tokens;
};

struct Generation {
  Limits limits;
  uint32_t number = 0;
  bool unordered = false;
  uint64_t events = 0, misses = 0;  // failed polls are not events
  uint64_t tail_run = 0, tail_repeats = 0;
  uint64_t most = UINT64_MAX;  // most_events() of tallies.hpp, once that is known
  std::vector<int64_t> words;
  std::vector<WordList> word_lists;
  std::vector<DecodedPosition> positions;
  std::vector<uint8_t> literals;
  DecodedTokens tokens;
  DecodedGraph<Variation> variations;
  DecodedTokens variation_tokens;
  DecodedPolls polls;  // comes with the times
};

// An empty message means that the payload was understood. Times belong to the generation whose structure came before.
std::string decode_structure(ByteReader& in, uint32_t* thread, Generation* generation);
std::string decode_times(ByteReader& in, Generation* generation);  // call it after reading thread and number
std::string decode_series(ByteReader& in, Series* series);         // call it after reading thread and number
std::string decode_generation(ByteReader in, uint32_t* thread, Generation* generation);

// The words that `extra` refers to, if it is a list (the caller knows from the function's class whether it may be one).
struct Words {
  const int64_t* data = nullptr;
  size_t count = 0;
};
Words words_of(const Generation& generation, uint32_t extra);

}  // namespace leadline::trace
