// The symbols of a thread's graphs, which record the order of events, and the meaning of positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes.hpp"
#include "trace/hash.hpp"

namespace leadline::trace {

inline constexpr uint32_t literal_target = 1;  // a token that announces literals (no position has this number)
inline constexpr uint32_t root_position = 0;
inline constexpr uint32_t first_position = 2;
inline constexpr uint32_t levels = 3;  // levels of tokens, above the events, the variations and the runs of polls

// The meaning of position->mode.
enum : uint32_t {
  mode_max_strikes = 15,  // 0..15: new values of the same shape that led here
  mode_times_only = 17,   // not in the graph: times of literal events at one site
  mode_bag = 18,          // not in the graph: calls whose order is lost
  mode_bag_coarse =
      19,  // the same, key.count = floor(log2(count)); amounts = sum of counts, or of values if key.value = 1
  mode_first_wild = 32,  // 32 + index into wild
};

struct WordList {
  uint32_t first, count;  // in words
};

struct Token {
  uint64_t run = 0;
  uint32_t target = 0;
  uint32_t zero = 0;

  bool operator==(const Token& o) const { return run == o.run && target == o.target; }
  uint64_t hash() const { return mix(mix(0x51ed27, run), target); }
  static constexpr size_t max_literal_bytes = 2 * max_varint_bytes;
  uint8_t* put_literal(uint8_t* p) const { return put_varint(put_varint(p, run), target); }
};

// The changes to a wild position's fields since its last visit.
struct Variation {
  uint32_t position;
  int32_t peer, tag, extra;
  int64_t count, value;

  bool operator==(const Variation& o) const { return __builtin_memcmp(this, &o, sizeof(o)) == 0; }
  uint64_t hash() const {
    return mix(mix(mix(hash_of_pair(position, static_cast<uint64_t>(count)), static_cast<uint64_t>(value)),
                   static_cast<uint64_t>(static_cast<uint32_t>(peer)) << 32 | static_cast<uint32_t>(tag)),
               static_cast<uint32_t>(extra));
  }
  static constexpr size_t max_literal_bytes = 6 * max_varint_bytes + 1;
  uint8_t* put_literal(uint8_t* p) const {
    p = put_varint(p, position);
    uint8_t* mask = p++;
    *mask = 0;
    if (count) *mask |= 1, p = put_signed(p, count);
    if (peer) *mask |= 2, p = put_signed(p, peer);
    if (tag) *mask |= 4, p = put_signed(p, tag);
    if (extra) *mask |= 8, p = put_signed(p, extra);
    if (value) *mask |= 16, p = put_signed(p, value);
    return p;
  }
};
static_assert(sizeof(Variation) == 32);

// Where failed polls came between two events, and how many (recording/polls.hpp).
struct PollRun {
  uint64_t distance;   // events since the previous run
  uint32_t first;      // number of the PollSite of its first poll
  uint32_t magnitude;  // floor(log2) of their number, at most largest_magnitude

  bool operator==(const PollRun& o) const { return __builtin_memcmp(this, &o, sizeof(o)) == 0; }
  uint64_t hash() const { return mix(mix(0x9011, distance), uint64_t{first} << 32 | magnitude); }
  static constexpr size_t max_literal_bytes = 2 * max_varint_bytes;
  uint8_t* put_literal(uint8_t* p) const {
    p = put_varint(p, distance << 5 | magnitude << 1 | (first ? 1u : 0u));
    return first ? put_varint(p, first) : p;
  }
};
static_assert(sizeof(PollRun) == 16);
inline constexpr uint32_t largest_magnitude = 15;

}  // namespace leadline::trace
