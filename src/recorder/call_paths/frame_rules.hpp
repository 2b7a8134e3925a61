// How to get from a place in the program's code to the caller's registers, as the instructions in the unwind tables
// say. Source: DWARF 5, section 6.4.
#pragma once

#include <cstdint>

#include "recorder/call_paths/frame_entry.hpp"
#include "recorder/call_paths/machine.hpp"

namespace leadline::recorder {

struct RegisterRule {
  enum class Kind : uint8_t {
    same,  // this and the next three say it by themselves
    unknown,
    at_offset,      // stored there, from the frame's address
    offset,         // is the frame's address and that
    in_register,    // `value` is its number
    at_expression,  // stored where the expression says
    expression,     // is what it says
  };
  Kind kind;
  int32_t value;  // of an expression: where it is, from `origin`; its length comes first
};

struct FrameRules {
  RegisterRule registers[Registers::count];
  RegisterRule frame;  // the frame's address: offset from the register `frame_register`, or an expression
  uint32_t frame_register;

  uint32_t changed;           // a bit for each register whose rule is not `same`
  uint64_t origin, function;  // begin of the code that they are for
  uint32_t return_column;
  bool signal;
  bool by_offsets;  // registers are the same, unknown, or what the frame's address and an offset say
};

class FrameProgram {
 public:
  FrameProgram(host::ReadableMemory& memory, const FrameEntry& entry) : memory_(memory), entry_(entry) {}

  // The rules at an address in the entry's code. False: they can't be understood. Takes 3 kB of the stack, or less.
  bool run(uint64_t address, FrameRules* rules);

 private:
  static constexpr unsigned most_remembered = 8;

  bool run_parts(uint64_t address, FrameRules* rules);
  bool run_part(const FrameEntry::Part& part, uint64_t address, FrameRules* rules);
  bool instruction(uint8_t code, class TableReader* reader, FrameRules* rules);
  bool frame_instruction(uint8_t code, class TableReader* reader, FrameRules* rules);
  bool set(FrameRules* rules, uint64_t number, RegisterRule::Kind kind, int64_t value);
  bool set_expression(RegisterRule* rule, RegisterRule::Kind kind, class TableReader* reader);

  host::ReadableMemory& memory_;
  const FrameEntry& entry_;
  uint64_t place_ = 0;  // in the code, up to which instructions have come
  struct Remembered {
    RegisterRule registers[Registers::count];
    RegisterRule frame;
    uint32_t frame_register;
  } remembered_[most_remembered];
  unsigned depth_ = 0;
  RegisterRule initial_[Registers::count] = {};
};

// Computes an expression's value from registers and from words of the stack. read_word: false where there is none.
struct ExpressionInput {
  const Registers* registers;
  bool (*read_word)(void* self, uint64_t address, uint64_t* word);
  void* self;
};
// `at`: where its length is. frame: pushed before, if it is given.
bool evaluate(host::ReadableMemory& memory, uint64_t at, const ExpressionInput& input, const uint64_t* frame,
              uint64_t* value);

}  // namespace leadline::recorder
