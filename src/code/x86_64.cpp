#include "code/x86_64.hpp"

namespace leadline::code {

namespace {

// The bytes that follow an opcode.
enum Form : uint8_t {
  bare,       // nothing
  imm8,       // a byte
  imm16,      // two bytes
  imm32,      // four bytes, two with an operand-size prefix
  imm24,      // three bytes: ENTER
  modrm,      // ModRM and what that asks for
  modrm_8,    // and a byte
  modrm_32,   // and four bytes, two with an operand-size prefix
  group_3_8,  // ModRM, and a byte where its middle field is 0 or 1: TEST
  group_3,    // the same with four bytes
  address,    // a whole address
  move,       // four bytes, eight with REX.W
  rel8,       // a conditional jump's distance
  rel32,
  none,  // no instruction, or a prefix
};

constexpr Form one_byte_form(unsigned op) {
  if (op < 0x40) {
    constexpr Form arithmetic[8] = {modrm, modrm, modrm, modrm, imm8, imm32, none, none};
    return arithmetic[op & 7];
  }
  if (op < 0x50) return none;  // REX
  if (op < 0x60) return bare;
  if (op >= 0x70 && op < 0x80) return rel8;
  if (op >= 0x84 && op < 0x90) return modrm;
  if (op >= 0x90 && op < 0xa0) return op == 0x9a ? none : bare;
  if (op >= 0xb0 && op < 0xb8) return imm8;
  if (op >= 0xb8 && op < 0xc0) return move;
  if (op >= 0xd8 && op < 0xe0) return modrm;
  if (op >= 0xe0 && op < 0xe4) return rel8;
  if (op >= 0xe4 && op < 0xe8) return imm8;
  switch (op) {
    case 0x63:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xfe:
    case 0xff:
      return modrm;
    case 0x68:
    case 0xa9:
    case 0xe8:
    case 0xe9:
      return imm32;
    case 0x69:
    case 0x81:
    case 0xc7:
      return modrm_32;
    case 0x6a:
    case 0xa8:
    case 0xcd:
    case 0xeb:
      return imm8;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      return modrm_8;
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa3:
      return address;
    case 0xc2:
    case 0xca:
      return imm16;
    case 0xc8:
      return imm24;
    case 0xf6:
      return group_3_8;
    case 0xf7:
      return group_3;
    case 0x60:
    case 0x61:
    case 0x62:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0x82:
    case 0xc4:
    case 0xc5:
    case 0xce:
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xea:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return none;
    default:
      return bare;
  }
}

constexpr Form two_byte_form(unsigned op) {  // after 0F
  if (op >= 0x30 && op < 0x38) return bare;
  if (op >= 0x80 && op < 0x90) return rel32;
  if (op >= 0xc8 && op < 0xd0) return bare;
  switch (op) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x0e:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
      return bare;
    case 0x04:
    case 0x0a:
    case 0x0c:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x27:
    case 0x39:
    case 0x3b:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x3f:
    case 0xa6:
    case 0xa7:
      return none;
    case 0x0f:
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return modrm_8;
    default:
      return modrm;
  }
}

// Of the instructions with a VEX, EVEX or XOP prefix, whose map of opcodes is a number in it.
constexpr Form vector_form(unsigned map, unsigned op) {
  switch (map) {
    case 1:
      return op == 0x77 ? bare : two_byte_form(op) == modrm_8 ? modrm_8 : modrm;
    case 2:
    case 5:
    case 6:
    case 9:
      return modrm;
    case 3:
    case 8:
      return modrm_8;
    case 10:
      return modrm_32;
    default:
      return none;
  }
}

class Decoder {
 public:
  Decoder(uint64_t at, uint64_t end) : begin_(at), at_(at), end_(end) {}

  Instruction run() {
    unsigned op = byte();
    for (; is_prefix(op); op = byte()) narrow_ |= op == 0x66, short_address_ |= op == 0x67;
    if ((op & 0xf0) == 0x40) {
      wide_ = op & 8;
      op = byte();
    }
    switch (op) {
      case 0x0f:
        return escape();
      case 0xc5:
        byte();
        return finish(vector_form(1, byte()));
      case 0xc4: {
        const unsigned map = byte() & 0x1f;
        byte();
        return finish(vector_form(map, byte()));
      }
      case 0x62: {
        const unsigned map = byte() & 7;
        byte();
        byte();
        return finish(vector_form(map, byte()));
      }
      case 0x8f:
        if (const unsigned map = peek() & 0x1f; map >= 8) {
          byte();
          byte();
          narrow_ = false;
          return finish(vector_form(map, byte()));
        }
        break;
      default:
        break;
    }
    return one_byte(op);
  }

 private:
  static bool is_prefix(unsigned op) {
    return op == 0x66 || op == 0x67 || op == 0xf0 || op == 0xf2 || op == 0xf3 || op == 0x2e || op == 0x36 ||
           op == 0x3e || op == 0x26 || op == 0x64 || op == 0x65;
  }

  unsigned peek() const { return at_ < end_ ? *reinterpret_cast<const uint8_t*>(at_) : 0u; }
  unsigned byte() {
    if (at_ >= end_) ok_ = false;
    const unsigned b = peek();
    ++at_;
    return b;
  }
  int64_t distance(unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{byte()} << (8 * i);
    return bytes == 1 ? static_cast<int8_t>(value) : static_cast<int32_t>(value);
  }

  Instruction done(Flow flow = Flow::next, uint64_t target = 0) const {
    constexpr uint64_t longest = 15;
    if (!ok_ || at_ - begin_ > longest) return {};
    return {static_cast<uint8_t>(at_ - begin_), flow, target};
  }
  Instruction to(Flow flow, unsigned bytes) {
    const int64_t d = distance(bytes);
    return done(flow, at_ + static_cast<uint64_t>(d));
  }

  Instruction one_byte(unsigned op) {
    const unsigned middle = peek() >> 3 & 7;  // of ModRM, where there is one
    switch (op) {
      case 0xe8:
        return to(Flow::call, 4);
      case 0xe9:
        return to(Flow::jump, 4);
      case 0xeb:
        return to(Flow::jump, 1);
      case 0xc2:
      case 0xc3:
      case 0xca:
      case 0xcb:
      case 0xcf:
      case 0xf4:
        return finish(one_byte_form(op), Flow::leave);
      case 0xff:
        return finish(modrm, middle == 2 || middle == 3   ? Flow::call
                             : middle == 4 || middle == 5 ? Flow::unknown
                                                          : Flow::next);
      default:
        return finish(one_byte_form(op));
    }
  }

  Instruction escape() {
    const unsigned op = byte();
    if (op == 0x38) return byte(), finish(modrm);
    if (op == 0x3a) return byte(), finish(modrm_8);
    if (op == 0x0b) return done(Flow::leave);  // UD2
    return finish(two_byte_form(op));
  }

  void skip_modrm() {
    const unsigned m = byte(), mod = m >> 6, rm = m & 7;
    if (mod == 3) return;
    const bool sib_without_base = rm == 4 && (byte() & 7) == 5;
    if (mod == 1) skip(1);
    if (mod == 2 || (mod == 0 && (rm == 5 || sib_without_base))) skip(4);
  }
  void skip(unsigned bytes) {
    if (bytes > end_ - at_ || at_ > end_) ok_ = false;
    at_ += bytes;
  }

  Instruction finish(Form form, Flow flow = Flow::next) {
    const unsigned operand = narrow_ ? 2 : 4;
    const bool tests = (peek() >> 3 & 7) < 2;
    switch (form) {
      case bare:
        break;
      case imm8:
        skip(1);
        break;
      case imm16:
        skip(2);
        break;
      case imm24:
        skip(3);
        break;
      case imm32:
        skip(operand);
        break;
      case move:
        skip(wide_ ? 8 : operand);
        break;
      case address:
        skip(short_address_ ? 4 : 8);
        break;
      case modrm:
        skip_modrm();
        break;
      case modrm_8:
        skip_modrm();
        skip(1);
        break;
      case modrm_32:
        skip_modrm();
        skip(operand);
        break;
      case group_3_8:
        skip_modrm();
        skip(tests ? 1 : 0);
        break;
      case group_3:
        skip_modrm();
        skip(tests ? operand : 0);
        break;
      case rel8:
        return to(Flow::branch, 1);
      case rel32:
        return to(Flow::branch, 4);
      case none:
        return {};
    }
    return done(flow);
  }

  uint64_t begin_, at_, end_;
  bool ok_ = true, wide_ = false, narrow_ = false, short_address_ = false;
};

// Instructions without a prefix but REX, and those with one that is a part of the opcode, which are most: by their
// opcode, what follows it.
struct Common {
  uint8_t immediate = 0;
  bool modrm = false, known = false;
  Flow flow = Flow::next;
};

constexpr Common common_of(Form form) {
  switch (form) {
    case bare:
      return {0, false, true};
    case imm8:
      return {1, false, true};
    case imm32:
      return {4, false, true};
    case modrm:
      return {0, true, true};
    case modrm_8:
      return {1, true, true};
    case modrm_32:
      return {4, true, true};
    case rel8:
      return {1, false, true, Flow::branch};
    case rel32:
      return {4, false, true, Flow::branch};
    case imm16:
    case imm24:
    case group_3_8:
    case group_3:
    case address:
    case move:
    case none:
      break;
  }
  return {};
}

struct CommonForms {
  Common one[256], two[256];  // by opcode; the second after 0F
  uint8_t modrm[256] = {};    // how long it is with its displacement and SIB, but for what that asks for
  constexpr CommonForms() {
    one[0xe8] = {4, false, true, Flow::call};
    one[0xe9] = {4, false, true, Flow::jump};
    one[0xeb] = {1, false, true, Flow::jump};
    for (unsigned op = 0; op < 256; ++op) {
      const bool elsewhere = op == 0x0f || op == 0x8f || op == 0xc3 || op == 0xcb || op == 0xcf || op == 0xe8 ||
                             op == 0xe9 || op == 0xeb || op == 0xf4 || op == 0xff;
      if (!elsewhere) one[op] = common_of(one_byte_form(op));
      if (op != 0x0b && op != 0x38 && op != 0x3a) two[op] = common_of(two_byte_form(op));
      const unsigned mod = op >> 6, rm = op & 7;
      const bool distance = mod == 2 || (mod == 0 && rm == 5);
      modrm[op] = static_cast<uint8_t>(1 + (mod != 3 && rm == 4) + (mod == 1) + (distance ? 4 : 0));
    }
  }
};
constexpr CommonForms common;

// Of an instruction behind which lie `longest` bytes; no length: it is none of these.
Instruction decode_common(uint64_t address) {
  const auto* p = reinterpret_cast<const uint8_t*>(address);
  const bool prefixed = *p == 0x66 || *p == 0xf2 || *p == 0xf3;
  p += prefixed;
  if ((*p & 0xf0) == 0x40) ++p;
  const bool two = *p == 0x0f;
  p += two;
  const Common& c = (two ? common.two : common.one)[*p++];
  // Else the prefix may say how long an operand is.
  if (!c.known || (prefixed && (!two || c.immediate == 4 || c.flow != Flow::next))) return {};
  if (c.modrm) {
    const unsigned m = *p;
    const bool sib_without_base = m < 0x40 && (m & 7) == 4 && (p[1] & 7) == 5;
    p += common.modrm[m] + (sib_without_base ? 4 : 0);
  }
  p += c.immediate;
  const auto length = static_cast<uint8_t>(reinterpret_cast<uint64_t>(p) - address);
  if (c.flow == Flow::next) return {length, Flow::next, 0};
  int32_t distance = static_cast<int8_t>(p[-1]);
  if (c.immediate == 4) __builtin_memcpy(&distance, p - 4, sizeof(distance));
  return {length, c.flow, reinterpret_cast<uint64_t>(p) + static_cast<uint64_t>(int64_t{distance})};
}

}  // namespace

Instruction decode(uint64_t address, uint64_t end) {
  constexpr uint64_t longest = 15;
  if (end > address && end - address >= longest) {
    if (const Instruction i = decode_common(address); i.length) return i;
  }
  return Decoder(address, end).run();
}

}  // namespace leadline::code
