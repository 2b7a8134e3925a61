// Expressions of unwind tables: of routines that align their stack, of signal handlers' frames and of procedure linkage
// tables. Source: DWARF 5, section 2.5.
#include "recorder/call_paths/frame_rules.hpp"
#include "recorder/call_paths/table_reader.hpp"

namespace leadline::recorder {

namespace {

constexpr unsigned most_operations = 256;  // they may jump back

// Values of DW_OP_...
enum : uint8_t {
  op_deref = 0x06,
  op_const1u = 0x08,
  op_const1s = 0x09,
  op_const2u = 0x0a,
  op_const2s = 0x0b,
  op_const4u = 0x0c,
  op_const4s = 0x0d,
  op_const8u = 0x0e,
  op_const8s = 0x0f,
  op_constu = 0x10,
  op_consts = 0x11,
  op_dup = 0x12,
  op_drop = 0x13,
  op_over = 0x14,
  op_pick = 0x15,
  op_swap = 0x16,
  op_rot = 0x17,
  op_abs = 0x19,
  op_and = 0x1a,
  op_minus = 0x1c,
  op_mul = 0x1e,
  op_neg = 0x1f,
  op_not = 0x20,
  op_or = 0x21,
  op_plus = 0x22,
  op_plus_uconst = 0x23,
  op_shl = 0x24,
  op_shr = 0x25,
  op_shra = 0x26,
  op_xor = 0x27,
  op_bra = 0x28,
  op_eq = 0x29,
  op_ge = 0x2a,
  op_gt = 0x2b,
  op_le = 0x2c,
  op_lt = 0x2d,
  op_ne = 0x2e,
  op_skip = 0x2f,
  op_lit0 = 0x30,
  op_reg0 = 0x50,
  op_breg0 = 0x70,
  op_regx = 0x90,
  op_bregx = 0x92,
  op_nop = 0x96,
};

class Machine {
 public:
  explicit Machine(const ExpressionInput& input) : input_(input) {}

  bool ok() const { return ok_; }
  void push(uint64_t value) {
    ok_ = ok_ && depth_ < most;
    if (ok_) stack_[depth_++] = value;
  }
  uint64_t pop() {
    ok_ = ok_ && depth_ > 0;
    return ok_ ? stack_[--depth_] : 0;
  }
  uint64_t top(unsigned below) {
    ok_ = ok_ && below < depth_;
    return ok_ ? stack_[depth_ - 1 - below] : 0;
  }
  void push_register(uint64_t number, int64_t offset) {
    ok_ = ok_ && number < Registers::count && input_.registers->has(static_cast<unsigned>(number));
    if (ok_) push(input_.registers->value[number] + static_cast<uint64_t>(offset));
  }
  void dereference() {
    uint64_t word = 0;
    const uint64_t address = pop();
    ok_ = ok_ && input_.read_word(input_.self, address, &word);
    push(word);
  }
  bool constant(uint8_t op, TableReader* reader);
  bool arrange(uint8_t op, TableReader* reader);
  bool compute(uint8_t op);

 private:
  static constexpr unsigned most = 32;

  const ExpressionInput& input_;
  uint64_t stack_[most] = {};
  unsigned depth_ = 0;
  bool ok_ = true;
};

// Each of the three returns whether the operation is one of its own.
bool Machine::constant(uint8_t op, TableReader* reader) {
  const auto sign = [](auto value) { return static_cast<uint64_t>(int64_t{value}); };
  if (op >= op_lit0 && op < op_reg0) return push(op - op_lit0), true;
  if (op >= op_breg0 && op < op_regx) return push_register(op - op_breg0, reader->signed_leb()), true;
  switch (op) {
    case op_bregx: {
      const uint64_t number = reader->unsigned_leb();
      return push_register(number, reader->signed_leb()), true;
    }
    case op_const1u:
      return push(reader->value<uint8_t>()), true;
    case op_const1s:
      return push(sign(reader->value<int8_t>())), true;
    case op_const2u:
      return push(reader->value<uint16_t>()), true;
    case op_const2s:
      return push(sign(reader->value<int16_t>())), true;
    case op_const4u:
      return push(reader->value<uint32_t>()), true;
    case op_const4s:
      return push(sign(reader->value<int32_t>())), true;
    case op_const8u:
    case op_const8s:
      return push(reader->value<uint64_t>()), true;
    case op_constu:
      return push(reader->unsigned_leb()), true;
    case op_consts:
      return push(static_cast<uint64_t>(reader->signed_leb())), true;
    default:
      return false;
  }
}

bool Machine::arrange(uint8_t op, TableReader* reader) {
  switch (op) {
    case op_dup:
      return push(top(0)), true;
    case op_drop:
      return pop(), true;
    case op_over:
      return push(top(1)), true;
    case op_pick:
      return push(top(reader->value<uint8_t>())), true;
    case op_swap: {
      const uint64_t a = pop(), b = pop();
      return push(a), push(b), true;
    }
    case op_rot: {
      const uint64_t a = pop(), b = pop(), c = pop();
      return push(a), push(c), push(b), true;
    }
    case op_deref:
      return dereference(), true;
    case op_plus_uconst: {
      const uint64_t a = pop();
      return push(a + reader->unsigned_leb()), true;
    }
    case op_nop:
      return true;
    default:
      return false;
  }
}

bool Machine::compute(uint8_t op) {
  if (op == op_neg) return push(-pop()), true;
  if (op == op_not) return push(~pop()), true;
  if (op == op_abs) {
    const uint64_t a = pop();
    return push(static_cast<int64_t>(a) < 0 ? -a : a), true;
  }
  if (op < op_and || op > op_ne || op == op_plus_uconst || op == op_bra) return false;
  const uint64_t b = pop(), a = pop();
  const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  const unsigned shift = b < 64 ? static_cast<unsigned>(b) : 63;
  switch (op) {
    case op_and:
      return push(a & b), true;
    case op_minus:
      return push(a - b), true;
    case op_mul:
      return push(a * b), true;
    case op_or:
      return push(a | b), true;
    case op_plus:
      return push(a + b), true;
    case op_shl:
      return push(b < 64 ? a << shift : 0), true;
    case op_shr:
      return push(b < 64 ? a >> shift : 0), true;
    case op_shra:
      return push(static_cast<uint64_t>(sa >> shift)), true;
    case op_xor:
      return push(a ^ b), true;
    case op_eq:
      return push(a == b), true;
    case op_ge:
      return push(sa >= sb), true;
    case op_gt:
      return push(sa > sb), true;
    case op_le:
      return push(sa <= sb), true;
    case op_lt:
      return push(sa < sb), true;
    case op_ne:
      return push(a != b), true;
    default:  // division, which unwind tables do not have
      return false;
  }
}

}  // namespace

bool evaluate(host::ReadableMemory& memory, uint64_t at, const ExpressionInput& input, const uint64_t* frame,
              uint64_t* value) {
  constexpr uint64_t longest = 4096;
  TableReader length(memory, at, at + longest);
  const uint64_t bytes = length.unsigned_leb();
  if (!length.ok() || bytes > longest) return false;
  const uint64_t begin = length.at(), end = begin + bytes;
  TableReader reader(memory, begin, end);
  Machine machine(input);
  if (frame) machine.push(*frame);
  for (unsigned i = 0; reader.more() && machine.ok(); ++i) {
    if (i == most_operations) return false;
    const auto op = reader.value<uint8_t>();
    if (op == op_skip || op == op_bra) {
      const auto distance = static_cast<uint64_t>(int64_t{reader.value<int16_t>()});
      const bool jumps = op == op_skip || machine.pop() != 0;
      const uint64_t target = reader.at() + distance;
      if (!reader.ok() || target - begin > bytes) return false;
      if (jumps) reader = TableReader(memory, target, end);
    } else if (!machine.constant(op, &reader) && !machine.arrange(op, &reader) && !machine.compute(op)) {
      return false;
    }
  }
  *value = machine.pop();
  return reader.ok() && machine.ok();
}

}  // namespace leadline::recorder
