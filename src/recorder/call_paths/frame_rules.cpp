#include "recorder/call_paths/frame_rules.hpp"

#include <string.h>

#include "recorder/call_paths/table_reader.hpp"

namespace leadline::recorder {

namespace {

using RuleKind = RegisterRule::Kind;

// Values of DW_CFA_...
enum : uint8_t {
  advance_loc = 0x40,
  offset = 0x80,
  restore = 0xc0,
  nop = 0x00,
  set_loc = 0x01,
  advance_loc1 = 0x02,
  advance_loc2 = 0x03,
  advance_loc4 = 0x04,
  offset_extended = 0x05,
  restore_extended = 0x06,
  undefined = 0x07,
  same_value = 0x08,
  in_register = 0x09,
  remember_state = 0x0a,
  restore_state = 0x0b,
  def_cfa = 0x0c,
  def_cfa_register = 0x0d,
  def_cfa_offset = 0x0e,
  def_cfa_expression = 0x0f,
  at_expression = 0x10,
  offset_extended_sf = 0x11,
  def_cfa_sf = 0x12,
  def_cfa_offset_sf = 0x13,
  val_offset = 0x14,
  val_offset_sf = 0x15,
  val_expression = 0x16,
  negate_ra_state = 0x2d,  // return addresses are signed, which plain_return_address() undoes
  args_size = 0x2e,
  negative_offset_extended = 0x2f,
};

}  // namespace

// Rules of registers that are not followed do not matter.
bool FrameProgram::set(FrameRules* rules, uint64_t number, RuleKind kind, int64_t value) {
  if (number >= Registers::count) return true;
  if (value < INT32_MIN || value > INT32_MAX) return false;
  rules->registers[number] = {kind, static_cast<int32_t>(value)};
  return true;
}

bool FrameProgram::set_expression(RegisterRule* rule, RuleKind kind, TableReader* reader) {
  const auto distance = static_cast<int64_t>(reader->at() - entry_.code.begin);
  reader->skip(reader->unsigned_leb());
  if (!reader->ok() || distance < INT32_MIN || distance > INT32_MAX) return false;
  if (rule) *rule = {kind, static_cast<int32_t>(distance)};
  return true;
}

bool FrameProgram::frame_instruction(uint8_t code, TableReader* reader, FrameRules* rules) {
  if (code == def_cfa_expression) return set_expression(&rules->frame, RuleKind::expression, reader);
  const bool names_register = code == def_cfa || code == def_cfa_sf || code == def_cfa_register;
  if (names_register) {
    const uint64_t number = reader->unsigned_leb();
    if (number >= Registers::count) return false;
    rules->frame_register = static_cast<uint32_t>(number);
  }
  int64_t value = rules->frame.kind == RuleKind::offset ? rules->frame.value : 0;
  const bool factored = code == def_cfa_sf || code == def_cfa_offset_sf;
  if (factored) {
    if (__builtin_mul_overflow(reader->signed_leb(), entry_.data_factor, &value)) return false;
  } else if (code != def_cfa_register) {
    value = static_cast<int64_t>(reader->unsigned_leb());
  }
  if (value < INT32_MIN || value > INT32_MAX) return false;
  rules->frame = {RuleKind::offset, static_cast<int32_t>(value)};
  return true;
}

bool FrameProgram::instruction(uint8_t code, TableReader* reader, FrameRules* rules) {
  const auto factored = [&](int64_t value, int64_t* result) {
    return !__builtin_mul_overflow(value, entry_.data_factor, result);
  };
  uint64_t number = 0;
  int64_t value = 0;
  switch (code) {
    case nop:
    case negate_ra_state:
      return true;
    case args_size:
      reader->unsigned_leb();
      return true;
    case offset_extended:
    case val_offset:
      number = reader->unsigned_leb();
      return factored(static_cast<int64_t>(reader->unsigned_leb()), &value) &&
             set(rules, number, code == val_offset ? RuleKind::offset : RuleKind::at_offset, value);
    case offset_extended_sf:
    case val_offset_sf:
      number = reader->unsigned_leb();
      return factored(reader->signed_leb(), &value) &&
             set(rules, number, code == val_offset_sf ? RuleKind::offset : RuleKind::at_offset, value);
    case negative_offset_extended:
      number = reader->unsigned_leb();
      return factored(static_cast<int64_t>(reader->unsigned_leb()), &value) && value != INT64_MIN &&
             set(rules, number, RuleKind::at_offset, -value);
    case undefined:
      return set(rules, reader->unsigned_leb(), RuleKind::unknown, 0);
    case same_value:
      return set(rules, reader->unsigned_leb(), RuleKind::same, 0);
    case in_register:
      number = reader->unsigned_leb();
      value = static_cast<int64_t>(reader->unsigned_leb());
      return set(rules, number, RuleKind::in_register, value);
    case restore_extended:
      number = reader->unsigned_leb();
      return number >= Registers::count || set(rules, number, initial_[number].kind, initial_[number].value);
    case at_expression:
    case val_expression:
      number = reader->unsigned_leb();
      return set_expression(number < Registers::count ? &rules->registers[number] : nullptr,
                            code == at_expression ? RuleKind::at_expression : RuleKind::expression, reader);
    case remember_state: {
      if (depth_ == most_remembered) return false;
      Remembered& kept = remembered_[depth_++];
      memcpy(kept.registers, rules->registers, sizeof(kept.registers));
      kept.frame = rules->frame;
      kept.frame_register = rules->frame_register;
      return true;
    }
    case restore_state: {
      if (!depth_) return false;
      const Remembered& kept = remembered_[--depth_];
      memcpy(rules->registers, kept.registers, sizeof(kept.registers));
      rules->frame = kept.frame;
      rules->frame_register = kept.frame_register;
      return true;
    }
    case def_cfa:
    case def_cfa_sf:
    case def_cfa_register:
    case def_cfa_offset:
    case def_cfa_offset_sf:
    case def_cfa_expression:
      return frame_instruction(code, reader, rules);
    default:
      return false;  // of another processor, or damaged
  }
}

bool FrameProgram::run_part(const FrameEntry::Part& part, uint64_t address, FrameRules* rules) {
  TableReader reader(memory_, part.begin, part.end);
  while (reader.more()) {
    const auto code = reader.value<uint8_t>();
    const uint8_t operand = code & 0x3f;
    uint64_t steps = 0;
    bool understood = true;
    switch (code & 0xc0) {
      case advance_loc:
        steps = operand;
        break;
      case offset: {
        int64_t value = 0;
        understood = !__builtin_mul_overflow(static_cast<int64_t>(reader.unsigned_leb()), entry_.data_factor, &value) &&
                     set(rules, operand, RuleKind::at_offset, value);
        break;
      }
      case restore:
        if (operand < Registers::count) rules->registers[operand] = initial_[operand];
        break;
      default:
        if (code == advance_loc1) {
          steps = reader.value<uint8_t>();
        } else if (code == advance_loc2) {
          steps = reader.value<uint16_t>();
        } else if (code == advance_loc4) {
          steps = reader.value<uint32_t>();
        } else if (code == set_loc) {  // an address in an encoding that nobody uses here
          understood = false;
        } else {
          understood = instruction(code, &reader, rules);
        }
    }
    if (!understood || !reader.ok()) return false;
    place_ += steps * entry_.code_factor;
    if (place_ > address) return true;
  }
  return reader.ok();
}

bool FrameProgram::run(uint64_t address, FrameRules* rules) {
  if (!run_parts(address, rules)) return false;
  rules->by_offsets = true;
  for (unsigned i = 0; i < Registers::count; ++i) {
    const RuleKind kind = rules->registers[i].kind;
    rules->changed |= uint32_t{kind != RuleKind::same} << i;
    rules->by_offsets &= kind <= RuleKind::offset;
  }
  return true;
}

bool FrameProgram::run_parts(uint64_t address, FrameRules* rules) {
  *rules = {};
  rules->frame.kind = RuleKind::unknown;
  rules->origin = rules->function = entry_.code.begin;
  rules->return_column = entry_.return_column;
  rules->signal = entry_.signal;
  place_ = entry_.code.begin;
  if (!run_part(entry_.common, address, rules)) return false;
  memcpy(initial_, rules->registers, sizeof(initial_));
  place_ = entry_.code.begin;
  return run_part(entry_.own, address, rules);
}

}  // namespace leadline::recorder
