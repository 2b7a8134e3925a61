// How many messages and bytes a recorded call stands for.
//
// Definitions: a *message* is a send started to a real partner (MPI_PROC_NULL: none; collectives: none). Bytes of a
// send are the posted ones. Bytes of a receive are the received ones if a status gave them, else the posted ones: a
// nonblocking receive counts as posted when it is made, and the completion that knows better adds the (negative)
// difference to the site that made it. Bytes of a collective are two figures, contributed and collected. A persistent
// send is a message each time it is started, at the call that starts it; the bytes of persistent receives belong to the
// call that created the request. Persistent collectives count at each start.
//
// A one-sided *operation* (put, get or accumulate) is neither: it has an origin, the calling rank, and a target. Put
// bytes flow from the origin to the target, got bytes the other way; a fetching accumulate has both. Operations on
// MPI_PROC_NULL and failed operations do not count.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/call_decoder.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

inline constexpr int32_t partner_unknown = -1;

struct Transfer {
  enum class Kind : uint8_t {
    message,      // a send started to a real partner
    operation,    // a one-sided operation at a real target; its bytes one way
    put,          // bytes it gives to the window
    got,          // bytes it takes from the window
    written,      // to a file
    received,     // bytes of receives, of reads from a file; negative: a correction
    contributed,  // to a collective
    collected,    // from a collective
  };
  Kind kind = Kind::message;
  uint32_t site = 0;                  // site of the call it is attributed to
  size_t stream = 0;                  // index within the process, of the site's stream
  int32_t partner = partner_unknown;  // rank in MPI_COMM_WORLD of the message's receiver or of the target
  int64_t size = 0;                   // bytes of each one
  uint64_t times = 1;
  int64_t bytes = 0;       // bytes of all
  bool exact_size = true;  // false: `size` is the mean of sizes that were summed beyond the trace's budget
};

// What calls did beside moving bytes: numbers of one call, or of all.
struct CallEnds {
  uint64_t collectives = 0;                              // of each persistent one every start
  uint64_t refused = 0;                                  // calls that name a partner and ended with an error
  uint64_t cancelled_sends = 0, cancelled_receives = 0;  // as their completion told
  uint64_t posted = 0;  // receives of messages, done or started, but for those from MPI_PROC_NULL
  uint64_t taken = 0;   // receives known to have taken a message that was not empty

  void add(const CallEnds& other, uint64_t times = 1);
};

// How a class of calls uses a rank's time.
using trace::Category;
using trace::category_count;
Category category_of(trace::CallClass cls);

// Whether the bytes of its functions are the received ones, not the sent ones.
bool receives_only(trace::CallClass cls);

class Measurer {
 public:
  // `stream`: index into the process's streams; requests may have been made by another one of its threads.
  Measurer(const trace::Process& process, size_t stream) : decoder_(process, stream) {}

  // Appends the transfers of a tally's calls. No index in the key is trusted.
  void measure(const trace::Tally& tally, std::vector<Transfer>* out) const;

  // Of the calls of the last tally, each.
  const CallEnds& ends() const { return ends_; }

  // Calls so far whose bytes are unknown: starts and collectives that were summed beyond the trace's budget.
  uint64_t unknown_bytes() const { return unknown_bytes_; }

 private:
  void measure_one(const structure::DecodedCall& call, std::vector<Transfer>* out) const;
  void measure_coarse(const trace::Tally& tally, std::vector<Transfer>* out) const;
  void measure_send(uint32_t site, const structure::CallPart& part, std::vector<Transfer>* out) const;
  void measure_receive(uint32_t site, const structure::CallPart& part, std::vector<Transfer>* out) const;
  void measure_collective(uint32_t site, const structure::CallPart& part, std::vector<Transfer>* out) const;
  void measure_access(uint32_t site, const structure::CallPart& part, std::vector<Transfer>* out) const;
  void measure_file(uint32_t site, const structure::CallPart& part, std::vector<Transfer>* out) const;
  void find_ends() const;
  void correct(const structure::CallPart& part, std::vector<Transfer>* out) const;
  void add(Transfer::Kind kind, uint32_t site, int64_t bytes, std::vector<Transfer>* out) const;

  structure::CallDecoder decoder_;
  mutable structure::DecodedCall call_;  // its storage is reused
  mutable uint64_t unknown_bytes_ = 0;
  mutable CallEnds ends_;
};

}  // namespace leadline::analysis
