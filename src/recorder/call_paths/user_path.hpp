// The program's part of a call stack: without the MPI layers and run-time libraries that a call came through, and
// without the system's frames around main and around a thread's first routine.
#pragma once

#include <cstdint>

#include "recorder/call_paths/call_stack.hpp"
#include "recorder/call_paths/modules.hpp"

namespace leadline::recorder {

struct UserPath {
  unsigned count;                      // of frames; at most trace::most_frames
  bool whole;                          // no frame of the program is missing at the outer end
  unsigned verified;                   // number of frames of the stack that identify this path
  uint64_t frame[CallStack::most];     // the innermost first, as trace::frame_word
  uint64_t function[CallStack::most];  // begin of the routine each lies in, 0: unknown

  // files: the call is one of libc's, made by the program or by its language's run-time library.   folded: without the
  // rounds of recursions; so is a path of too many frames.
  void find(const CallStack& stack, Modules& modules, bool files, bool folded);

 private:
  unsigned outer_end(const CallStack& stack, Modules& modules);
  enum class Code : uint8_t { plain, interpreter, in_no_module };
  void put(const CallStack::Frame& at, const ModuleAddress& m, Code* before);
  void fold();
  void leave_out();
};

}  // namespace leadline::recorder
