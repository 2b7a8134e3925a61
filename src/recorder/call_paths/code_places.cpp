#include "recorder/call_paths/code_places.hpp"

#include "host/loaded_object.hpp"
#include "host/readable_memory.hpp"
#include "recorder/call_paths/frame_entry.hpp"

namespace leadline::recorder {

// What is read is what the tables say and memory that is there: they may claim too much.
bool find_code(void*, uint64_t address, code::Range* range) {
  host::ReadableMemory memory;
  FrameEntry entry{};
  if (!find_loaded_entry(address, memory, &entry)) return false;
  constexpr uint64_t most_bytes = 1u << 20;  // of a routine that is read
  const uint64_t bytes = entry.code.end - entry.code.begin;
  if (bytes > most_bytes || !memory.has(entry.code.begin, bytes)) return false;
  *range = {entry.code.begin, entry.code.end};
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
    if (!place->range->has(place->address)) continue;
    // A jump table has 512 entries at most. The file behind the memory may have been shortened since.
    constexpr uint64_t most_bytes = 512 * 8;
    place->range->begin = place->address;
    if (place->range->end - place->address > most_bytes) place->range->end = place->address + most_bytes;
    host::ReadableMemory memory;
    return memory.has(place->address, place->range->end - place->address);
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
