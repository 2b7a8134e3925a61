// The calls of one thread in their order, decoded for people and tests. Streamed: memory does not grow with the trace.
#pragma once

#include <cstdint>

#include "structure/call_decoder.hpp"
#include "structure/decoded_call.hpp"
#include "structure/requests.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

using structure::CallPart;

struct Call : structure::DecodedCall {
  uint64_t times = 1;  // > 1: equal calls in a row, or failed polls (to a power of two)
};

class Expansion {
 public:
  // The process must outlive the expansion. `stream` must be an index into its streams.
  Expansion(const trace::Process& process, size_t stream);
  bool next(Call* call);  // false at the end

 private:
  structure::CallDecoder decoder_;
  structure::ProcessRequests requests_;
  trace::Walker walker_;
};

}  // namespace leadline::analysis
