#include "code/jump_tables.hpp"
#include "code/byte_at.hpp"

#include <string.h>

namespace leadline::code {

namespace {

template <class T>
T value_at(uint64_t address) {
  T value;
  memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  return value;
}

bool is_rex(uint8_t byte) { return byte >> 4 == 4; }

}  // namespace

// Comparisons with a constant, and computed addresses of data. Both end with their constant.
void JumpTables::note(uint64_t address, unsigned length) {
  const uint64_t after = address + length;
  const bool rex = is_rex(byte_at(address));
  const uint64_t opcode_at = address + rex;
  if (opcode_at + 2 > after) return;
  const uint8_t opcode = byte_at(opcode_at), mode = byte_at(opcode_at + 1);
  int64_t compared = -1;
  if ((opcode == 0x83 || opcode == 0x80) && (mode >> 3 & 7) == 7) compared = value_at<int8_t>(after - 1);
  if (opcode == 0x3c) compared = value_at<int8_t>(after - 1);
  if (opcode == 0x81 && (mode >> 3 & 7) == 7 && length >= 6) compared = value_at<int32_t>(after - 4);
  if (opcode == 0x3d && length >= 5) compared = value_at<int32_t>(after - 4);
  if (compared >= 0) bound_ = compared < most_entries ? static_cast<uint32_t>(compared) + 1 : 0;
  const bool computes = rex && opcode == 0x8d && (mode & 0xc7) == 5 && length == 7;
  if (!computes) return;
  const uint64_t table = after + static_cast<uint64_t>(int64_t{value_at<int32_t>(after - 4)});
  uint32_t i = 0;
  while (i < tables_ && table_[i] != table) ++i;
  if (i == tables_ && tables_ == most_tables) i = 0;
  if (i == tables_) ++tables_;
  for (; i + 1 < tables_; ++i) table_[i] = table_[i + 1];  // the one seen last comes last
  table_[i] = table;
}

// jmp *table(,%register,8)
uint64_t JumpTables::named(uint64_t address, unsigned length) {
  const uint64_t after = address + length;
  while (address < after && (byte_at(address) == 0x3e || is_rex(byte_at(address)))) ++address;
  if (after - address != 7 || byte_at(address) != 0xff || byte_at(address + 1) != 0x24) return 0;
  const uint8_t scaled = byte_at(address + 2);
  if ((scaled & 7) != 5 || scaled >> 6 != 3) return 0;
  return static_cast<uint64_t>(int64_t{value_at<int32_t>(after - 4)});
}

bool JumpTables::at(const CodeMap& code, uint64_t address, unsigned length, uint32_t index, Table* table) const {
  const uint64_t absolute = named(address, length);
  table->absolute = absolute != 0;
  table->address = absolute ? absolute : table_[index];
  Range data;
  if (!code.constants || !code.constants(code.self, table->address, &data)) return false;
  const uint64_t room = (data.end - table->address) / (table->absolute ? 8 : 4);
  table->room = static_cast<uint32_t>(room < bound_ ? room : bound_);
  return true;
}

uint64_t JumpTables::entry(const Table& table, uint32_t index) {
  if (table.absolute) return value_at<uint64_t>(table.address + 8 * uint64_t{index});
  return table.address + static_cast<uint64_t>(int64_t{value_at<int32_t>(table.address + 4 * uint64_t{index})});
}

}  // namespace leadline::code
