// Replays a program in a network model.
//
// Every rank advances by itself until it must wait for what others have not done yet. Nothing is put in the order of
// time but what shares a port and could still be overtaken.
//
// Rules of the model (docs/how-it-works/replay.md):
//   * A send costs processor time, then the message is ready. An eager one leaves as soon as the sender's port is free,
//     and its request is complete at once: its data are copied. A longer one asks first, and its request is complete
//     when its last byte has left.
//   * Sending ports serve messages as they become ready. Receiving ports serve first what the rank waits for first, in
//     the order in which first bytes arrive (then by sender, then in the order of sending).
//   * A question is answered when the receive is posted and the receiver is in a call, and the message leaves when the
//     answer is there and the sender is in a call, unless handshakes progress while ranks compute.
//   * A wait handles requests in the order in which they complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/instant.hpp"
#include "replay/program.hpp"

namespace leadline::replay {

// Why a rank does not go on.
struct Stuck {
  enum class On : uint8_t { message_from, receive_of, collective };
  uint32_t rank = 0;
  On on = On::message_from;
  uint32_t other = 0;  // whom it waits for
  uint32_t call = 0;   // of its shape
};

struct Options {
  bool skip = true;  // steady state
  bool sensitivities = false;
  uint64_t seed = 0;  // of iterations that are drawn; 0: the program's own
};

// A call as it was replayed.   waited_ps: in it, for messages, their way included, and for those that it meets.
struct TracedCall {
  uint32_t call = 0;
  int64_t begin_ps = 0, end_ps = 0, waited_ps = 0;
};

struct Outcome {
  std::vector<int64_t> end_ps;                  // by rank
  std::vector<Share> shares;                    // of the end, by rank; with sensitivities
  std::vector<std::vector<int64_t>> mark_ps;    // by mark, by rank; -1: it was not passed
  std::vector<std::vector<TracedCall>> traces;  // by rank, of a program that is traced
  uint64_t messages = 0;
  uint64_t replayed = 0;  // of these, without those that were skipped
  // Empty: all ranks came to their end. Otherwise a chain of ranks each of which waits for the next; the last one waits
  // for the first, or for a rank that has ended.
  std::vector<Stuck> stuck;

  int64_t whole_ps() const;
  Share share() const;  // of the rank that ends last
};

Outcome replay(const Program& program, const Options& options = {});

}  // namespace leadline::replay
