#include "recorder/code_places.hpp"

#include <string.h>

// libgcc's, which the unwinder itself uses.
extern "C" {
struct dwarf_eh_bases {  // NOLINT(readability-identifier-naming)
  void* tbase;
  void* dbase;
  void* func;
};
const void* _Unwind_Find_FDE(void* address, dwarf_eh_bases* bases);
}

namespace leadline::recorder {

// An entry of .eh_frame: length, place of what several have in common, begin, size. How the last two are written is
// said elsewhere; nearly always as 32 bits, the begin relative to its own place, which can be seen.
bool find_code(void*, uint64_t address, code::Range* range) {
  dwarf_eh_bases bases{};
  const auto* entry = static_cast<const char*>(_Unwind_Find_FDE(reinterpret_cast<void*>(address), &bases));
  if (!entry || !bases.func) return false;
  int32_t distance = 0;
  uint32_t bytes = 0;
  memcpy(&distance, entry + 8, sizeof(distance));
  memcpy(&bytes, entry + 12, sizeof(bytes));
  const auto begin = reinterpret_cast<uint64_t>(bases.func);
  if (reinterpret_cast<uint64_t>(entry + 8) + static_cast<uint64_t>(int64_t{distance}) != begin) return false;
  *range = {begin, begin + bytes};
  return range->has(address);
}

}  // namespace leadline::recorder
