// How many messages and bytes a recorded call stands for.
//
// Definitions: a *message* is a send started to a real partner (MPI_PROC_NULL: none; collectives: none). Bytes of a
// send are the posted ones. Bytes of a receive are the received ones if a status gave them, else the posted ones: a
// nonblocking receive counts as posted when it is made, and the completion that knows better adds the (negative)
// difference to the site that made it. Bytes of a collective are two figures, contributed and collected. A persistent
// send is a message each time it is started, at the call that starts it; the bytes of persistent receives belong to the
// call that created the request. Persistent collectives count at each start.
//
// A one-sided *operation* (put, get or accumulate) is none of these: it has an origin, the calling rank, and a target.
// Put bytes flow from the origin to the target, got bytes the other way; a fetching accumulate has both. Operations on
// MPI_PROC_NULL and failed operations do not count.
#pragma once

#include <cstdint>
#include <vector>

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
  bool exact_size = true;  // false: `size` is the mean of sizes that were summed up beyond the trace's budget
};

// How a class of calls uses a rank's time.
using trace::Category;
using trace::category_count;
Category category_of(trace::CallClass cls);

// Whether the bytes of its functions are the received ones, not the sent ones.
bool receives_only(trace::CallClass cls);

class Measurer {
 public:
  struct Maker {  // the call that made a request
    size_t stream;
    uint32_t site;
  };

  // `stream`: index into the process's streams; requests may have been made by another one of its threads.
  Measurer(const trace::Process& process, size_t stream)
      : process_(process), stream_(process.streams[stream]), index_(stream) {}

  // Appends the transfers of a tally's calls. No index in the key is trusted.
  void measure(const trace::Tally& tally, std::vector<Transfer>* out) const;

  // Calls so far whose bytes are unknown: starts and collectives that were summed up beyond the trace's budget.
  uint64_t unknown_bytes() const { return unknown_bytes_; }

  // The maker of the request that a completion or a start is about; if not known, a stream or site past the last one.
  Maker linked(uint32_t extra, const int64_t* words, size_t word_count) const;
  Maker listed(int64_t link) const;  // the maker of one request in a list
  trace::CallClass class_of(Maker maker) const;
  Maker maker_of(uint32_t site) const { return {index_, site}; }
  trace::CallClass class_of(uint32_t site) const { return class_of(Maker{index_, site}); }
  int64_t posted_bytes(int64_t count, uint32_t datatype) const;
  int32_t world_partner(uint32_t comm, int32_t peer) const;

 private:
  void measure_one(const trace::Key& key, const int64_t* words, size_t word_count, std::vector<Transfer>* out) const;
  void measure_coarse(const trace::Tally& tally, std::vector<Transfer>* out) const;
  void measure_message(const trace::Key& key, std::vector<Transfer>* out) const;
  void measure_exchange(const trace::Key& key, const int64_t* words, size_t word_count,
                        std::vector<Transfer>* out) const;
  void measure_starts(const trace::Key& key, const int64_t* words, size_t word_count, std::vector<Transfer>* out) const;
  void measure_libc(const trace::Key& key, std::vector<Transfer>* out) const;
  void measure_send(const trace::Key& key, uint32_t site, int64_t bytes, std::vector<Transfer>* out) const;
  void measure_receive(const trace::Key& key, int64_t posted, std::vector<Transfer>* out) const;
  void measure_access(const trace::Key& key, std::vector<Transfer>* out) const;
  void measure_file(const trace::Key& key, std::vector<Transfer>* out) const;
  void measure_collective(uint32_t site, int64_t contributed, int64_t collected, std::vector<Transfer>* out) const;
  void measure_start(uint32_t site, Maker creator, const trace::Key& key, int64_t bytes,
                     std::vector<Transfer>* out) const;
  void correct(Maker maker, int64_t received, int64_t posted, bool cancelled, std::vector<Transfer>* out) const;
  uint8_t moves_of(uint32_t site) const;  // the direction of its function's data
  size_t stream_of(int64_t thread) const;

  const trace::Process& process_;
  const trace::Stream& stream_;
  size_t index_;
  mutable uint64_t unknown_bytes_ = 0;
};

}  // namespace leadline::analysis
