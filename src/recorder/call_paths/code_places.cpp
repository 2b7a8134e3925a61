#include "recorder/call_paths/code_places.hpp"

#include <link.h>

#include "host/loaded_object.hpp"
#include "host/readable_memory.hpp"
#include "recorder/call_paths/global_slots.hpp"
#include "recorder/memory/lock.hpp"

namespace leadline::recorder {

// Reads only what the tables say and what is mapped: they may claim too much.
bool CodeSearch::find(uint64_t address, code::Range* range) {
  FrameEntry entry{};
  if (!search_.find(address, &entry)) return false;
  constexpr uint64_t most_bytes = 1u << 20;  // of a routine that is read
  const uint64_t bytes = entry.code.end - entry.code.begin;
  host::ReadableMemory memory = search_.memory();
  if (bytes > most_bytes || !memory.has(entry.code.begin, bytes)) return false;
  *range = {entry.code.begin, entry.code.end};
  return range->has(address);
}

namespace {

constinit GlobalSlots global_slots;
constinit Lock global_slots_lock;

struct SegmentSearch {
  uint64_t address;
  code::Range* range;
};

int look_in_segments(dl_phdr_info* info, size_t, void* data) {
  const auto* search = static_cast<const SegmentSearch*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const host::ElfSegment& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    *search->range = {begin, begin + segment.p_filesz};
    if (!search->range->has(search->address)) continue;
    // A jump table has 512 entries at most. The file behind the memory may have been shortened since.
    constexpr uint64_t most_bytes = 512 * 8;
    search->range->begin = search->address;
    if (search->range->end - search->address > most_bytes) search->range->end = search->address + most_bytes;
    host::ReadableMemory memory;
    return memory.has(search->address, search->range->end - search->address);
  }
  return 0;
}

struct ImportSearch {
  uint64_t slot;
  const char* name;
};

bool holds(const dl_phdr_info& info, uint64_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const host::ElfSegment& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - info.dlpi_addr - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

int look_in_object(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<ImportSearch*>(data);
  if (!holds(*info, search->slot)) return 0;
  const host::LoadedObject object(*info);
  search->name = object.linked(search->slot);
  if (!search->name) {
    const Locked locked(global_slots_lock);
    search->name = global_slots.find(object, info->dlpi_subs, search->slot);
  }
  return 1;
}

}  // namespace

const char* find_import(void*, uint64_t slot) {
  ImportSearch search{slot, nullptr};
  dl_iterate_phdr(look_in_object, &search);
  return search.name;
}

bool find_constants(void*, uint64_t address, code::Range* range) {
  SegmentSearch search{address, range};
  return dl_iterate_phdr(look_in_segments, &search) != 0;
}

}  // namespace leadline::recorder
