// The return addresses on the stack of a call, and where each is stored, the innermost first, as the unwinder finds
// them.
#pragma once

#include <cstdint>

#include "recorder/call_paths/unwinder.hpp"

namespace leadline::recorder {

struct CallStack {
  using Frame = Unwinder::Frame;
  static constexpr unsigned most = 512;

  uint64_t from;    // where to begin: the return address of the recorded call
  uint64_t lowest;  // where that stands
  bool begun;       // it was found
  bool ended;       // the unwinder reached the outermost frame, according to its tables
  bool cut;         // the outer frames are on another stack, or unknown because a signal came between
  unsigned count;   // of frames
  Frame frames[most];

  // Without unwind tables: the return address alone. `slot`: where that stands.
  void unwind(Unwinder& unwinder, uint64_t return_address, uint64_t slot);
};

}  // namespace leadline::recorder
