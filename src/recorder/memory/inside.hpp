// Whether the recorder itself is at work in a thread.
#pragma once

#include <cstdint>

namespace leadline::recorder {

// > 0 while this thread is within the recorder outside of a recorded call: what it does to files is its own, and a
// signal handler that interrupts it must not come in.
extern thread_local constinit uint32_t inside_recorder;
class Inside {
 public:
  Inside() { ++inside_recorder; }
  ~Inside() { --inside_recorder; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace leadline::recorder
