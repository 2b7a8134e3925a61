#include "code/imported_calls.hpp"

#include <string.h>

#include "code/byte_at.hpp"
#include "code/x86_64.hpp"

namespace leadline::code {

namespace {

// GNU and LLVM Fortran, Intel Fortran, C++.
constexpr const char* run_time_names[] = {"_gfortran_", "_Fortran", "for_", "_Z"};

int32_t distance_at(uint64_t address) {
  int32_t distance;
  memcpy(&distance, reinterpret_cast<const void*>(address), sizeof(distance));
  return distance;
}

// What the slot holds; 0: it cannot be read.
uint64_t held_by(const CodeMap& code, uint64_t slot) {
  Range memory;
  uint64_t target = 0;
  if (!code.constants || !code.constants(code.self, slot, &memory) || memory.end - slot < sizeof(target)) return 0;
  memcpy(&target, reinterpret_cast<const void*>(slot), sizeof(target));
  return target;
}

// The call of one of the usual forms that returns there: E8 and a distance; FF 15 and the place of a slot. 0: none.
uint64_t call_before(uint64_t return_address, const Range& range, unsigned length) {
  const uint64_t at = return_address - length;
  if (at < range.begin || byte_at(at) != (length == 5 ? 0xe8 : 0xff)) return 0;
  const Instruction i = decode(at, range.end);
  return i.flow == Flow::call && i.length == length ? at : 0;
}

}  // namespace

// FF /2 and FF /4, relative to the instruction.
uint64_t slot_of(uint64_t address, uint64_t end) {
  constexpr uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  if (end - address >= sizeof(endbr) && memcmp(reinterpret_cast<const void*>(address), endbr, sizeof(endbr)) == 0) {
    address += sizeof(endbr);
  }
  while (address < end && (byte_at(address) == 0xf2 || byte_at(address) == 0x67)) ++address;
  constexpr unsigned bytes = 6;
  if (end <= address || end - address < bytes || byte_at(address) != 0xff) return 0;
  const uint8_t way = byte_at(address + 1);
  if (way != 0x15 && way != 0x25) return 0;
  return address + bytes + static_cast<uint64_t>(int64_t{distance_at(address + 2)});
}

const char* imported_by(const CodeMap& code, uint64_t address, uint64_t end) {
  const uint64_t slot = code.imported ? slot_of(address, end) : 0;
  return slot ? code.imported(code.self, slot) : nullptr;
}

const char* imported_through(const CodeMap& code, uint64_t address, uint64_t end) {
  if (const char* name = imported_by(code, address, end)) return name;
  const Instruction i = decode(address, end);
  if (!i.length || !i.target) return nullptr;
  Range stub;
  return code.find && code.find(code.self, i.target, &stub) ? imported_by(code, i.target, stub.end) : nullptr;
}

bool calls_run_time_library(const CodeMap& code, uint64_t return_address) {
  Range range;
  if (!code.find || !code.find(code.self, return_address - 1, &range)) return false;
  for (unsigned length = 5; length <= 6; ++length) {
    const uint64_t at = call_before(return_address, range, length);
    const char* name = at ? imported_through(code, at, range.end) : nullptr;
    if (!name) continue;
    for (const char* begin : run_time_names) {
      if (strncmp(name, begin, strlen(begin)) == 0) return true;
    }
  }
  return false;
}

uint64_t leads_to(const CodeMap& code, uint64_t address, uint64_t end) {
  if (const uint64_t slot = slot_of(address, end)) return held_by(code, slot);
  const Instruction i = decode(address, end);
  Range stub;
  if (!i.length || !i.target || !code.find(code.self, i.target, &stub)) return i.length ? i.target : 0;
  const uint64_t slot = slot_of(i.target, stub.end);
  return slot ? held_by(code, slot) : i.target;
}

uint64_t called_routine(const CodeMap& code, uint64_t return_address) {
  Range range;
  if (!code.find || !code.find(code.self, return_address - 1, &range)) return 0;
  for (unsigned length = 5; length <= 6; ++length) {
    if (const uint64_t at = call_before(return_address, range, length)) return leads_to(code, at, range.end);
  }
  return 0;
}

}  // namespace leadline::code
