#include "recorder/call_paths/user_path.hpp"

#include <string.h>
#include <sys/auxv.h>

#include "recording/live.hpp"

namespace leadline::recorder {

namespace {

// Whether the address lies in the code that the system starts a program with. It calls libc, and that calls main.
bool in_program_start(uint64_t address) {
  constexpr uint64_t size = 64;
  return address - getauxval(AT_ENTRY) < size;
}

}  // namespace

void UserPath::find(const CallStack& stack, Modules& modules, bool files, bool folded) {
  count = 0;
  const unsigned end = outer_end(stack, modules);
  // One frame more: the return address of the outermost routine shows that it is the outermost.
  verified = end < stack.count ? end + 1 : end;
  Code before = Code::plain;
  for (unsigned i = 0; i < end; ++i) {
    const ModuleAddress m = modules.find_again(stack.frames[i].address);
    if (!count && (m.mpi_layer || (files && m.language_runtime))) continue;
    put(stack.frames[i], m, &before);
  }
  if (folded || count > trace::most_frames) fold();
  if (count > trace::most_frames) leave_out();
}

// Leaves out the system's frames at the outer end, if the stack ends with them. A stack that a program made for itself
// (makecontext) ends differently: there the tables do not say that the frame is outermost.
unsigned UserPath::outer_end(const CallStack& stack, Modules& modules) {
  unsigned end = stack.count;
  bool loader = false;
  for (; end; --end) {
    const uint64_t address = stack.frames[end - 1].address;
    const ModuleAddress m = modules.find_again(address);
    if (!m.system && !in_program_start(address)) break;
    loader |= m.loader;
  }
  whole = end < stack.count && (stack.ended || loader) && !stack.cut;
  return end;
}

// Of frames of an interpreter, or of code in no module, that follow one another the innermost stands for all: their
// return addresses tell nothing about the program and change from call to call. Code in no module that called an
// interpreter is what it compiled, and belongs to its frames.
void UserPath::put(const CallStack::Frame& at, const ModuleAddress& m, Code* before) {
  const Code code = m.known                        ? m.interpreter ? Code::interpreter : Code::plain
                    : *before == Code::interpreter ? Code::interpreter
                                                   : Code::in_no_module;
  if (code == Code::plain || code != *before) {
    frame[count] = m.known ? trace::frame_word(m.module, m.offset) : trace::frame_of_no_module;
    function[count] = code == Code::plain ? at.function : 0;
    ++count;
  }
  *before = code;
}

// A routine that is in the path already has begun a round of a recursion: the round is left out, up to its inner end.
// From the outermost frame on, so the routines keep the order in which they were entered first.
void UserPath::fold() {
  unsigned kept = count;  // the path so far is [kept, count)
  for (unsigned i = count; i-- > 0;) {
    unsigned same = kept;
    while (same < count && (!function[i] || function[same] != function[i])) ++same;
    kept = same < count ? same : kept - 1;
    frame[kept] = frame[i];
    function[kept] = function[i];
  }
  count -= kept;
  memmove(frame, frame + kept, count * sizeof(*frame));
}

// Both ends of a path are more useful than its middle.
void UserPath::leave_out() {
  constexpr unsigned inner = 40, outer = trace::most_frames - inner - 1;
  frame[inner] = trace::frames_left_out;
  memmove(frame + inner + 1, frame + count - outer, outer * sizeof(*frame));
  count = trace::most_frames;
}

}  // namespace leadline::recorder
