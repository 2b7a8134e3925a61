#include "recorder/call_paths/code_places.hpp"

#include <link.h>
#include <time.h>

#include "host/loaded_object.hpp"
#include "host/readable_memory.hpp"
#include "recorder/call_paths/frame_entry.hpp"
#include "recorder/call_paths/global_slots.hpp"
#include "recorder/memory/lock.hpp"

namespace leadline::recorder {

// Reads only what the tables say and what is mapped: they may claim too much.
bool CodeSearch::find(uint64_t address, code::Range* range) {
  forget_what_is_old();
  FrameTable* const table = table_of(address);
  host::ReadableMemory memory(pages_, most_pages);
  FrameEntry entry{};
  if (!table->object.end || !find_frame_entry(table, address, memory, &entry)) return false;
  constexpr uint64_t most_bytes = 1u << 20;  // of a routine that is read
  const uint64_t bytes = entry.code.end - entry.code.begin;
  if (bytes > most_bytes || !memory.has(entry.code.begin, bytes)) return false;
  *range = {entry.code.begin, entry.code.end};
  return range->has(address);
}

void CodeSearch::forget_what_is_old() {
  struct Objects {
    unsigned long long loaded, unloaded;
  } objects{};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<Objects*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;  // all objects say the same
      },
      &objects);
  constexpr int64_t most_ns = 10'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t at_ns = now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
  if (at_ns - since_ns_ < most_ns && objects.loaded == loaded_ && objects.unloaded == unloaded_) return;
  since_ns_ = at_ns;
  loaded_ = objects.loaded;
  unloaded_ = objects.unloaded;
  for (FrameTable& table : tables_) table = {};
  for (uint64_t& page : pages_) page = 0;
}

FrameTable* CodeSearch::table_of(uint64_t address) {
  for (FrameTable& table : tables_) {
    if (table.object.has(address)) return &table;
  }
  FrameTable* const found = &tables_[next_++ % most_objects];
  *found = {};
  found->object = CodeObject::at(address);
  return found;
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
