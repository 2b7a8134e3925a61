#include "recorder/call_paths/call_stack.hpp"

namespace leadline::recorder {

namespace {

bool take_frame(void* self, const Unwinder::Frame& frame) {
  auto* s = static_cast<CallStack*>(self);
  if (!s->begun && (frame.address != s->from || frame.slot != s->lowest)) return frame.slot <= s->lowest;
  s->begun = true;
  s->frames[s->count] = frame;
  return ++s->count < CallStack::most;
}

}  // namespace

void CallStack::unwind(Unwinder& unwinder, uint64_t return_address, uint64_t slot) {
  from = return_address;
  lowest = slot;
  begun = false;
  count = 0;
  const Unwinder::End end = unwinder.walk(take_frame, this);
  ended = end == Unwinder::End::outermost;
  cut = end == Unwinder::End::lost || end == Unwinder::End::signal;
  if (!count) frames[count++] = {return_address, slot, 0};
}

}  // namespace leadline::recorder
