// The return addresses on the stack of a call, and where each is stored, the innermost first, as the unwinder finds
// them.
#pragma once

#include <cstdint>

namespace leadline::recorder {

struct CallStack {
  struct Frame {
    uint64_t address;   // return address
    uint64_t slot;      // where on the stack it stands
    uint64_t function;  // begin of the code that it lies in, 0: the unwind tables do not know it
  };
  static constexpr unsigned most = 512;

  uint64_t from;    // where to begin: the return address of the recorded call
  uint64_t lowest;  // where that stands
  bool begun;       // it was found
  bool ended;       // the unwinder reached the outermost frame, according to its tables
  bool cut;         // the outer frames are on another stack, or unknown because a signal came between
  unsigned count;   // of frames
  Frame frames[most];

  // Without unwind tables: the return address alone. `slot`: where that stands.
  void unwind(uint64_t return_address, uint64_t slot);
};

}  // namespace leadline::recorder
