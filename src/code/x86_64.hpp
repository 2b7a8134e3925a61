// The lengths of x86-64's instructions and their jump targets: all that a control-flow graph needs. Operands do not
// matter. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A.
#pragma once

#include <cstdint>

namespace leadline::code {

enum class Flow : uint8_t {
  next,     // to the instruction after it
  call,     // to another routine, then to the instruction after it
  branch,   // to the target, or to the instruction after it
  jump,     // to the target
  unknown,  // to wherever a register or memory says
  leave,    // out of the routine, or nowhere
};

struct Instruction {
  uint8_t length = 0;  // 0: it could not be decoded
  Flow flow = Flow::next;
  uint64_t target = 0;  // address, of a branch, a jump or a call; 0: a register or memory says it
};

// The instruction at `address`; reads no byte at `end` or beyond.
Instruction decode(uint64_t address, uint64_t end);

}  // namespace leadline::code
