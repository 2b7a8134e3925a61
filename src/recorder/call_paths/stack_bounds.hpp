// Which memory is the calling thread's stack. The system's list of mappings tells, whoever made the stack: the kernel,
// the thread library, or a program that switches between stacks of its own (ucontext, coroutines, fibers).
#pragma once

#include <cstdint>

namespace leadline::recorder {

class StackBounds {
 public:
  struct Range {
    uint64_t begin, end;
  };

  // The stack that sp lies in. Its begin may be lower than the mapping's, where the kernel lets it grow. `anew`: ignore
  // what is remembered, which may be out of date.
  Range around(uint64_t sp, bool anew = false);

 private:
  static constexpr unsigned most = 16;

  static bool read_mappings(uint64_t sp, Range* range);

  Range known_[most] = {};
  unsigned next_ = 0;
};

}  // namespace leadline::recorder
