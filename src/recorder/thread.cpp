#include "recorder/thread.hpp"

#include "host/readable_memory.hpp"

namespace leadline::recorder {

// The call may have been left on a stack that is gone since, by a jump out of a fiber: its slot is read only where the
// kernel says that it can be. Calls within calls are few, and not the program's.
bool Thread::is_in_call(const void* frame) const {
  const auto outer = reinterpret_cast<uintptr_t>(outer_frame);
  if (!depth || reinterpret_cast<uintptr_t>(frame) >= outer) return false;
  host::ReadableMemory memory;
  const void* returns_to = nullptr;
  return memory.read(outer - sizeof(void*), &returns_to) && returns_to == outer_return;
}

}  // namespace leadline::recorder
