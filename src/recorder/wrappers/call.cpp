#include "recorder/wrappers/call.hpp"

#include "leadline/symbols.hpp"
#include "recorder/call_paths/stack_bounds.hpp"

namespace leadline::recorder {

namespace {

// On another stack, where a signal handler or a fiber runs, it cannot be told whether the call is over.
bool on_this_stack(const void* frame) {
  static thread_local constinit StackBounds stacks;
  const StackBounds::Range stack = stacks.around(reinterpret_cast<uint64_t>(__builtin_frame_address(0)));
  const auto address = reinterpret_cast<uint64_t>(frame);
  return address >= stack.begin && address < stack.end;
}

}  // namespace

Word missing(Fn fn, Name name) {
  tell("%s was called, but no library loaded after the recorder provides it",
       symbol_names[static_cast<int>(fn)][static_cast<int>(name)]);
  constexpr Word error_other = 15;  // MPI_ERR_OTHER in the MPICH family; any value but MPI_SUCCESS will do
  return error_other;
}

// The data of the call are lost with its frame. Its function and caller are known.
void call_was_left(Thread* t) {
  const Inside inside;
  if (!on_this_stack(t->outer_frame)) return;
  const uint32_t call = t->header->call;
  t->depth = 0;
  call_is_over(t);
  this_process.lose(trace::LossKind::calls_left);
  if (!call) return;  // a local one, which was counted before it began, or one while recording was paused
  const uint32_t function =
      call >= recording::in_function ? call - recording::in_function : t->paths.function_of(call - recording::in_site);
  if (function < function_count) t->locals.count_only(static_cast<Fn>(function), t->outer_return);
}

}  // namespace leadline::recorder
