// What a segment holds. What others wait for has a cache line of its own. Each rank writes its own part only, but for
// sums, which take the place of contributions to them (reducing.cpp).
//
//   head    a random number, by which the segment is known; the cores that its ranks may use
//   by rank
//     done      the last call that the rank has finished
//     progress  in the call that it is in: how many rounds it has filled, reduced and finished
//     slots     of the last calls, taken by turns: the number of the call, and what the rank has for the others, if it
//     is short ring      of rounds of a call with more
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "collectives/memory_sizes.hpp"
#include "collectives/node/segment.hpp"

namespace leadline::collectives::node {

constexpr int64_t line_bytes = 64;
constexpr int slots = 8;
constexpr int rounds_in_ring = 4;
constexpr int most_ranks = 256;

using Counter = std::atomic<uint64_t>;
static_assert(Counter::is_always_lock_free);

// Rounds are counted with the number of the call in the upper bits, so that counts of a later call are higher.
constexpr int round_bits = 24;

struct alignas(line_bytes) Head {
  uint64_t nonce[2];
  std::atomic<uint64_t> cores[CPU_SETSIZE / 64];
};

struct alignas(line_bytes) Slot {
  Counter call;
  int64_t bytes;  // of a block
  alignas(16) char inlined[line_bytes - 32];
  char data[slot_bytes];
};

struct Place {
  alignas(line_bytes) Counter done;
  struct alignas(line_bytes) {
    Counter filled, reduced, finished;
  } progress;
  Slot slot[slots];
  alignas(4096) char ring[rounds_in_ring][round_bytes];
};

constexpr int64_t places_at = 4096;
static_assert(sizeof(Head) <= places_at);
constexpr int64_t bytes_for(int ranks) { return places_at + ranks * static_cast<int64_t>(sizeof(Place)); }

}  // namespace leadline::collectives::node
