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

Ticks Thread::on_a_core(Ticks ticks, uint64_t tick_factor) {
  const Ticks from = long_work_from;
  long_work_from = 0;
  if (!from || from < header->last_end) return ticks < preempted_ticks ? ticks : preempted_ticks;
  Ticks since = now() - from;
  if (since > ticks) since = ticks;
  const uint64_t cpu_ns = processor_ns();  // of another thread if that one finishes the recording
  const Ticks worked = ticks_of_ns(cpu_ns > long_work_cpu_ns ? cpu_ns - long_work_cpu_ns : 0, tick_factor);
  return ticks - since + (worked < since ? worked : since);
}

}  // namespace leadline::recorder
