// Whether the recorder itself is at work in a thread.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// > 0 while this thread is within the recorder outside of a recorded call: its file calls do not count, and a signal
// handler that interrupts it must not enter.
extern thread_local constinit uint32_t inside_recorder;
class Inside {
 public:
  Inside() { ++inside_recorder; }
  ~Inside() { --inside_recorder; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace leadline::recorder
