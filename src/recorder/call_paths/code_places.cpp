#include "recorder/call_paths/code_places.hpp"

#include <string.h>

#include "host/loaded_object.hpp"

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

// An entry of .eh_frame: length, place of the part that several share, begin, size. The encoding of the last two is
// given elsewhere: nearly always 32 bits, the begin relative to its own place, which can be checked.
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

namespace {

struct Place {
  uint64_t address;
  code::Range* range;
};

int look_for_place(dl_phdr_info* info, size_t, void* data) {
  const auto* place = static_cast<const Place*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const host::ElfSegment& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    *place->range = {begin, begin + segment.p_filesz};
    if (place->range->has(place->address)) return 1;
  }
  return 0;
}

struct Search {
  uint64_t slot;
  const char* name;
};

int look_in_object(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum && !holds; ++i) {
    const host::ElfSegment& segment = info->dlpi_phdr[i];
    holds = segment.p_type == PT_LOAD && search->slot - info->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  }
  if (holds) search->name = host::LoadedObject(*info).imported(search->slot);
  return holds;
}

}  // namespace

const char* find_import(void*, uint64_t slot) {
  Search search{slot, nullptr};
  dl_iterate_phdr(look_in_object, &search);
  return search.name;
}

bool find_constants(void*, uint64_t address, code::Range* range) {
  Place place{address, range};
  return dl_iterate_phdr(look_for_place, &place) != 0;
}

}  // namespace leadline::recorder
