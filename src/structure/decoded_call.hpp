// A call as every analysis sees it: its arguments, and part by part what it moves and what it does to requests.
// CallDecoder (call_decoder.hpp) makes it from a key. Requests (requests.hpp) adds what only the order of calls can
// tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/call_class.hpp"
#include "trace/event.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

inline constexpr int64_t bytes_unknown = trace::unknown_value;
inline constexpr int32_t rank_unknown = -1;
inline constexpr size_t no_stream = SIZE_MAX;
inline constexpr uint32_t no_index = UINT32_MAX;

struct Partner {
  int32_t peer = trace::peer_none;  // relative to the caller, or one of trace::peer_*
  int32_t rank = trace::peer_none;  // in the communicator (an intercommunicator's remote group), or the same as `peer`
  int32_t world = rank_unknown;     // in MPI_COMM_WORLD

  bool real() const { return peer >= trace::first_real_peer; }
};

// The call that made a request; for a start, the call that created the persistent request.
struct Maker {
  size_t stream = no_stream;  // index; no_stream: there is no request, or its thread is not in the trace
  int32_t thread = -1;        // if another thread made it, that thread's number
  uint32_t site = no_index;
  uint32_t function = no_index;
  trace::CallClass cls = trace::CallClass::other;
  // How many requests ago (for a start: creations of persistent requests) the thread made it, 1 = the last one; 0: by
  // another thread, or while recording was paused. Lists keep 32 bits of age and number.
  uint64_t age = 0;
  uint64_t number = 0;  // its number among its thread's requests (or creations), from 1; 0: unknown
};

// What a call does to one message, collective, one-sided operation or transfer of a file, or to the request of one.
// A call that sends and receives has a part for each, but its request completes in one.
struct CallPart {
  uint8_t moves = 0;  // trace::moves: where the data goes; a request's is that of the call that made it
  trace::RequestUse request = trace::RequestUse::none;
  bool wildcard = false;   // a receive that was posted for any source or any tag
  bool cancelled = false;  // nothing came
  // Of the parts of a message's end, exactly one names its message: it has the communicator, partner and tag by which
  // the other end is found. A receive names it when it is posted or started, one with a wildcard when it completes.
  bool names_message = false;
  bool partitioned = false;  // such messages match their own kind only
  bool partner_told = true;  // false: the record has neither partner nor tag, which are those of the call that made it
  Maker maker;               // unless `request` is none
  uint32_t comm = 0;         // number of the communicator, window or file; 0: unknown
  uint64_t identity = 0;     // the same on all of its ranks; 0: unknown
  Partner partner;
  int32_t tag = 0;
  // Elements as posted and the type; not known for completions and starts of lists.
  int64_t count = 0;
  uint32_t datatype = 0;
  // Bytes asked for, each way; bytes that leave this rank, and that reach it. 0 in a direction that data doesn't go.
  int64_t posted_bytes = bytes_unknown;
  int64_t out_bytes = 0, in_bytes = 0;

  bool sends() const { return (moves & trace::moves::sends) != 0; }
  bool receives() const { return (moves & trace::moves::receives) != 0; }
  bool collective() const { return (moves & (trace::moves::contributes | trace::moves::collects)) != 0; }
};

// Arguments that only collectives have.
struct CollectiveArguments {
  uint32_t op = 0;
  int64_t receive_count = 0;
  uint32_t receive_datatype = 0;
  std::span<const int64_t> send_counts, receive_counts;  // of calls with a vector; valid as long as the trace
  bool vector_lost = false;                              // a vector was too long to keep
};

struct CallFields {
  uint32_t site = 0;
  uint32_t function = no_index;  // index into the process's functions
  trace::CallClass cls = trace::CallClass::other;
  bool nothing = false;  // a poll that found or completed nothing
  bool refused = false;  // the library returned an error: nothing was moved, no request was made
  uint32_t flags = 0;    // trace::flag_*
  uint32_t comm = 0;     // number of the communicator, window or file; 0: none
  uint64_t identity = 0;
  Partner partner;  // of a collective, its root
  int32_t tag = 0;
  int64_t count = 0;  // elements; of calls on a list, the requests passed
  uint32_t datatype = 0;
  int64_t datatype_bytes = 0;     // of one element
  int64_t posted_bytes = 0;       // count times datatype
  int64_t value = bytes_unknown;  // bytes as a status gave them; trace/event.hpp has other meanings
  uint32_t made = 0;              // number of the communicator, window or file that the call made; 0: none
  int32_t error = 0;              // errno of a call of libc that failed
  int32_t open_file = 0;          // number of the open file that a call of libc is about
  bool positioned = false;        // a transfer that has `distance`
  int64_t distance = 0;           // its start relative to the end of the transfer before (docs/reference/format.md)
  CollectiveArguments collective;

  const trace::CallFacts& facts() const { return trace::facts_of(cls); }
};

struct DecodedCall : CallFields {
  std::vector<CallPart> parts;
};

}  // namespace leadline::structure
