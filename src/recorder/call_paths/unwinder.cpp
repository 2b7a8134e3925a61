#include "recorder/call_paths/unwinder.hpp"

#include <sys/auxv.h>

#include "recording/live.hpp"

namespace leadline::recorder {

namespace {

// Fortran keeps arrays on the stack. Distances on it are kept in 32 bits.
constexpr uint64_t largest_stack = uint64_t{1} << 30;
constexpr unsigned most_steps = 1024;

// The thread library keeps a thread's own data above its stack, in the same mapping.
uint64_t thread_data() {
#if defined(__x86_64__) || defined(__aarch64__)
  return reinterpret_cast<uint64_t>(__builtin_thread_pointer());
#else
  return 0;
#endif
}

}  // namespace

// One walk: the registers as they were in each frame. Most of them nobody asks for, so where one was stored is kept,
// and read when its value is needed.
struct Unwinder::Walk {
  Unwinder* self;
  Registers registers{};
  uint64_t stored = 0;  // a bit for each register of which `registers` has the place instead of the value
  uint64_t lowest = 0;
  StackBounds::Range stack{};
  bool bounds_are_new = false;
  host::ReadableMemory memory{self->stack_pages_, most_stack_pages};
  uint64_t slot = 0;   // where the place of the frame at hand was read
  uint64_t frame = 0;  // its callee's frame address

  // The end of the stack is a valid frame address.
  bool on_stack(uint64_t address, uint64_t bytes) {
    if (address < lowest || address - lowest > largest_stack) return false;
    if (address + bytes > stack.end && !bounds_are_new) {
      bounds_are_new = true;
      find_stack(true);
    }
    return address + bytes <= stack.end;
  }
  void find_stack(bool anew) {
    stack = self->stacks_.around(lowest, anew);
    const uint64_t data = thread_data();
    if (data > lowest && data < stack.end) stack.end = data;
    // The kernel puts the first thread's random bytes at the far end of its stack.
    self->on_own_stack_ = stack.end == data || getauxval(AT_RANDOM) - lowest < stack.end - lowest;
  }
  bool read_word(uint64_t address, uint64_t* word) {
    return address % sizeof(*word) == 0 && on_stack(address, sizeof(*word)) && memory.read(address, word);
  }
  bool has(unsigned number) {
    const uint64_t bit = uint64_t{1} << number;
    if (number < Registers::count && stored & bit) {
      stored &= ~bit;
      if (!read_word(registers.value[number], &registers.value[number])) registers.known &= ~bit;
    }
    return registers.has(number);
  }
  void read_all() {
    for (unsigned i = 0; stored; ++i) has(i);
  }
  void begin_on_stack();
  bool frame_address(const FrameRules& rules, uint64_t* address);
  bool value_of(const FrameRules& rules, unsigned number, uint64_t frame, Registers* caller, uint64_t* read_at);
  uint64_t step_by_offsets(const FrameRules& rules, uint64_t caller_frame);
  uint64_t step_by_all(const FrameRules& rules, uint64_t caller_frame);
  bool step(const FrameRules& rules, bool* outermost);
  ExpressionInput input() {
    return {
        &registers,
        [](void* walk, uint64_t address, uint64_t* word) { return static_cast<Walk*>(walk)->read_word(address, word); },
        this};
  }
};

// What was found readable of the thread's own stack above its top stays so: it is in use.
void Unwinder::Walk::begin_on_stack() {
  find_stack(false);
  const uint64_t own = self->on_own_stack_ ? stack.end : 0;
  if (own && own == self->known_stack_) return;
  self->known_stack_ = own;
  for (uint64_t& page : self->stack_pages_) page = 0;
}

bool Unwinder::Walk::frame_address(const FrameRules& rules, uint64_t* address) {
  if (rules.frame.kind == RegisterRule::Kind::expression) {
    const uint64_t at = rules.origin + static_cast<uint64_t>(int64_t{rules.frame.value});
    read_all();
    if (!evaluate(memory, at, input(), nullptr, address)) return false;
  } else {
    if (rules.frame.kind != RegisterRule::Kind::offset || !has(rules.frame_register)) return false;
    *address = registers.value[rules.frame_register] + static_cast<uint64_t>(int64_t{rules.frame.value});
  }
  // Frames of one stack stand one above the other.
  return *address > frame && *address > lowest && on_stack(*address, 0);
}

// What the register was in the caller; without a bit in `known` if that cannot be told. read_at: where it was stored.
bool Unwinder::Walk::value_of(const FrameRules& rules, unsigned number, uint64_t at_frame, Registers* caller,
                              uint64_t* read_at) {
  using Kind = RegisterRule::Kind;
  const RegisterRule& rule = rules.registers[number];
  const uint64_t distance = static_cast<uint64_t>(int64_t{rule.value});
  uint64_t value = 0, at = 0;
  bool known = false;
  switch (rule.kind) {
    case Kind::same:
      return registers.has(number);
    case Kind::unknown:
      break;
    case Kind::at_offset:
      at = at_frame + distance;
      known = read_word(at, &value);
      break;
    case Kind::offset:
      value = at_frame + distance;
      known = true;
      break;
    case Kind::in_register:
      known = registers.has(static_cast<unsigned>(rule.value));
      if (known) value = registers.value[rule.value];
      break;
    case Kind::at_expression:
    case Kind::expression:
      known = evaluate(memory, rules.origin + distance, input(), &at_frame, &value);
      if (known && rule.kind == Kind::at_expression) {
        at = value;
        known = read_word(at, &value);
      }
  }
  const uint64_t bit = uint64_t{1} << number;
  caller->value[number] = value;
  caller->known = known ? caller->known | bit : caller->known & ~bit;
  *read_at = at;
  return known;
}

// The next two go on to the caller's registers, and return where its return address was stored, 0: nowhere.
uint64_t Unwinder::Walk::step_by_offsets(const FrameRules& rules, uint64_t caller_frame) {
  uint64_t return_slot = 0;
  for (uint32_t left = rules.changed; left; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    const RegisterRule& rule = rules.registers[i];
    const uint64_t bit = uint64_t{1} << i;
    const bool is_stored = rule.kind == RegisterRule::Kind::at_offset;
    registers.value[i] = caller_frame + static_cast<uint64_t>(int64_t{rule.value});
    registers.known = rule.kind == RegisterRule::Kind::unknown ? registers.known & ~bit : registers.known | bit;
    stored = is_stored ? stored | bit : stored & ~bit;
    if (i == rules.return_column && is_stored) return_slot = registers.value[i];
  }
  return return_slot;
}

uint64_t Unwinder::Walk::step_by_all(const FrameRules& rules, uint64_t caller_frame) {
  read_all();
  Registers caller = registers;
  uint64_t return_slot = 0;
  for (uint32_t left = rules.changed; left; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t at = 0;
    value_of(rules, i, caller_frame, &caller, &at);
    if (i == rules.return_column) return_slot = at;
  }
  registers = caller;
  return return_slot;
}

// To the caller's frame. outermost: the tables say that there is no caller.
bool Unwinder::Walk::step(const FrameRules& rules, bool* outermost) {
  *outermost = false;
  if (rules.return_column >= Registers::count) return false;
  uint64_t caller_frame = 0;
  const bool no_caller = rules.registers[rules.return_column].kind == RegisterRule::Kind::unknown;
  *outermost = no_caller;
  if (no_caller || !frame_address(rules, &caller_frame)) return false;
  const uint64_t return_slot =
      rules.by_offsets ? step_by_offsets(rules, caller_frame) : step_by_all(rules, caller_frame);
  if (rules.registers[Registers::stack_pointer].kind == RegisterRule::Kind::same) {
    registers.value[Registers::stack_pointer] = caller_frame;
    registers.known |= uint64_t{1} << Registers::stack_pointer;
    stored &= ~(uint64_t{1} << Registers::stack_pointer);
  }
  if (!has(rules.return_column)) return false;
  registers.place = plain_return_address(registers.value[rules.return_column]);
  // Only the innermost frame may keep its return address in a register.
  if (return_slot <= slot && slot) return false;
  slot = return_slot;
  frame = caller_frame;
  return true;
}

const FrameRules* Unwinder::rules_at(uint64_t lookup) {
  uint16_t& index = index_[lookup * 0x9e3779b97f4a7c15 >> (64 - index_bits)];
  if (index < count_ && rows_[index].lookup == lookup) return &rows_[index].rules;
  FrameEntry entry{};
  if (!search_.find(lookup, &entry)) return nullptr;
  host::ReadableMemory memory = search_.memory();
  if (count_ == most_rows) count_ = 0;
  Row& row = rows_[count_];
  row.lookup = lookup;
  if (!FrameProgram(memory, entry).run(lookup, &row.rules)) {
    // The routine is known even so.
    row.rules.frame.kind = RegisterRule::Kind::unknown;
    row.rules.registers[Registers::return_column].kind = RegisterRule::Kind::same;
    row.rules.return_column = Registers::count;
  }
  index = static_cast<uint16_t>(count_++);
  return &row.rules;
}

[[gnu::noinline]] Unwinder::End Unwinder::walk(bool (*visit)(void* self, const Frame& frame), void* self) {
  if (!Registers::known_processor) return End::no_tables;
  Walk walk{.self = this};
  walk.registers.read();
  walk.lowest = walk.registers.sp();
  walk.frame = walk.lowest;
  walk.begin_on_stack();
  uint64_t lookup = walk.registers.place;
  for (unsigned i = 0; i < most_steps; ++i) {
    const FrameRules* rules = rules_at(lookup);
    if (i && !visit(self, {walk.registers.place, walk.slot, rules ? rules->function : 0})) return End::stopped;
    if (!rules) return End::no_tables;
    if (rules->signal) return End::signal;
    bool outermost = false;
    if (!walk.step(*rules, &outermost)) return outermost ? End::outermost : End::lost;
    if (!walk.registers.place) return End::outermost;
    lookup = walk.registers.place - 1;  // within the call
  }
  return End::lost;
}

}  // namespace leadline::recorder
