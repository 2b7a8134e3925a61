// The calls of an iteration on all ranks, and how they match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace leadline::analysis {

struct MatchedCall {
  enum class Role : uint8_t { other, send, receive, both, collective };
  uint32_t process = 0;       // index
  uint32_t stream = 0;        // index within the process
  uint32_t site = 0;          // index within the stream
  std::string_view function;  // of a process that was given
  uint64_t iteration = 0;
  Role role = Role::other;                           // both: a Sendrecv
  double begin_ns = 0, duration_ns = 0, gap_ns = 0;  // since the first process's start
  bool polled = false;                               // polls failed in the gap
  uint64_t comm = 0;                                 // identity of the communicator; 0: unknown
  int32_t source = -1, dest = -1, tag = 0;           // ranks in it, of the message sent (received, if nothing is sent)
  uint64_t number = 0;                               // in the channel or on the communicator
  int64_t partner = -1;         // index of the call at the other end; for a collective, the next rank's call
  int64_t second_partner = -1;  // for `both`: the partner of the receiving half
  bool makes_request = false;
  int64_t completion = -1;              // index of the one call that completes the requests that this one made
  int64_t out_bytes = 0, in_bytes = 0;  // that leave and reach the rank; structure::bytes_unknown
};

struct MatchedIteration {
  std::vector<MatchedCall> calls;  // of the iteration and its neighbours, by process, in order
  // Indices of the calls that send and receive each message whose ends are both known; a call may have several.
  std::vector<std::pair<size_t, size_t>> messages;
  uint64_t unmatched_sends = 0;  // sends and receives of the iteration that lack their other end
  uint64_t unmatched_receives = 0;
};

}  // namespace leadline::analysis
