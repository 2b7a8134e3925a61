// A generation of a thread's events as the reader holds it: the graph of positions and the tokens that walk it
// (recording/graph.hpp tells how it came about). All indices are checked when it is decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/event.hpp"
#include "trace/process.hpp"
#include "trace/symbols.hpp"

namespace leadline::trace {

struct DecodedPosition {
  Key key;  // of a wild position: the first one
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

// Failed polls of a generation: no events, but places between them.
struct DecodedPolls {
  struct Site {
    Key key;
    TimeStats times;
  };
  std::vector<Site> sites;
  uint64_t tail = 0;               // polls after the last event
  uint32_t tail_site = 0;          // of the first of these: index
  uint64_t kept = 0, dropped = 0;  // runs whose place is known, and others
  DecodedGraph<PollRun> runs;
  DecodedTokens tokens;
};

// Sizes of the tables that keys refer to.
struct Limits {
  uint32_t sites = UINT32_MAX, communicators = UINT32_MAX, datatypes = UINT32_MAX;

  // What leads nowhere becomes "none": number 0 of each table.
  void apply(Key* key) const {
    if (key->site >= sites) key->site = 0;
    if ((key->comm & comm_mask) >= communicators) key->comm &= ~comm_mask;
    if (key->datatype >= datatypes) key->datatype = 0;
  }
};

struct Generation {
  Limits limits;
  uint32_t number = 0;
  bool unordered = false;
  uint64_t events = 0, misses = 0;  // failed polls are no events
  uint64_t tail_run = 0, tail_repeats = 0;
  std::vector<int64_t> words;
  std::vector<WordList> word_lists;
  std::vector<DecodedPosition> positions;
  std::vector<uint8_t> literals;
  DecodedTokens tokens;
  DecodedGraph<Variation> variations;
  DecodedTokens variation_tokens;
  DecodedPolls polls;  // comes with the times
};

// Empty message: the payload was understood. Times are those of the generation whose structure came before.
std::string decode_structure(ByteReader& in, uint32_t* thread, Generation* generation);
std::string decode_times(ByteReader& in, Generation* generation);  // after thread and number were read
std::string decode_series(ByteReader& in, Series* series);         // after thread and number were read
std::string decode_generation(ByteReader in, uint32_t* thread, Generation* generation);

// The words `extra` refers to, if it is a list (the caller knows from the class of the function that it may be).
struct Words {
  const int64_t* data = nullptr;
  size_t count = 0;
};
Words words_of(const Generation& generation, uint32_t extra);

}  // namespace leadline::trace
