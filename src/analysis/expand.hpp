// The calls of one thread in their order, decoded for people and tests. Streamed: memory does not grow with the trace.
#pragma once

#include <memory>
#include <vector>

#include "analysis/measure.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

struct Completed {
  uint64_t age = 0;     // how many requests ago it was made, 1 = the last one
  int32_t site = -1;    // site of the call that made it
  int64_t bytes = -1;   // received bytes; -1: unknown or a send
  int64_t thread = -1;  // another thread that made it: `age` is then its number, `site` one of that thread
};

struct Call {
  uint32_t site = 0;
  uint32_t function = 0;
  uint64_t times = 1;  // > 1: equal calls in a row, or failed polls (to a power of two)
  int64_t count = 0;
  int64_t datatype_bytes = 0;
  uint32_t datatype = 0;
  int32_t peer = 0;        // rank in the communicator, negative: one of trace::peer_*
  int32_t world_peer = 0;  // rank in MPI_COMM_WORLD; -1: unknown
  int32_t tag = 0;
  uint32_t comm = 0, flags = 0;  // flags: trace::flag_*
  int64_t value = -1;
  uint32_t extra = 0;
  bool nothing = false;  // a poll that found or completed nothing
  std::vector<Completed> completed;
  std::vector<int64_t> words;
};

class Expansion {
 public:
  // The process must outlive the expansion. `stream` must be an index into its streams.
  Expansion(const trace::Process& process, size_t stream);
  bool next(Call* call);  // false at the end

 private:
  void complete(const trace::Event& event, trace::CallClass cls, Call* call) const;

  const trace::Process& process_;
  const trace::Stream& stream_;
  Measurer measurer_;
  trace::Walker walker_;
};

}  // namespace leadline::analysis
