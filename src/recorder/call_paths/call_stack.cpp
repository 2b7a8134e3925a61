#include "recorder/call_paths/call_stack.hpp"

#include <unwind.h>

namespace leadline::recorder {

namespace {

// Fortran keeps arrays on the stack. Frames that are further away are on another one.
constexpr uint64_t largest_stack = uint64_t{1} << 30;

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* data) {
  auto* s = static_cast<CallStack*>(data);
  int interrupted = 0;
  const uint64_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (!address) {
    s->ended = true;
    return _URC_END_OF_STACK;
  }
  if (!s->begun && address != s->from) return _URC_NO_REASON;
  s->begun = true;
  // Here the context's frame address is that of the callee: the return address stands just below it.
  const uint64_t slot = _Unwind_GetCFA(context) - sizeof(void*);
  // A signal may have come anywhere: where it did is no place in the program. Frames of one stack stand one above the
  // other: what does not is of another one, which may be gone when the next call looks at it.
  if (interrupted || (s->count && (slot <= s->frames[s->count - 1].slot || slot - s->lowest > largest_stack))) {
    s->cut = true;
    return _URC_END_OF_STACK;
  }
  s->frames[s->count] = {address, slot, _Unwind_GetRegionStart(context)};
  return ++s->count == CallStack::most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void CallStack::unwind(uint64_t return_address, uint64_t slot) {
  from = return_address;
  lowest = slot;
  begun = ended = cut = false;
  count = 0;
  _Unwind_Backtrace(take_frame, this);
  if (!count) frames[count++] = {return_address, slot, 0};
  if (!ended && !cut && count < most) frames[count - 1].function = 0;  // the tables do not know the code it is in
}

}  // namespace leadline::recorder
