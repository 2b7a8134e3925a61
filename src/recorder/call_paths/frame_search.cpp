#include "recorder/call_paths/frame_search.hpp"

#include <link.h>
#include <time.h>

namespace leadline::recorder {

bool FrameSearch::find(uint64_t address, FrameEntry* entry) {
  forget_what_is_old();
  FrameTable* const table = table_of(address);
  host::ReadableMemory readable = memory();
  return table->object.end && find_frame_entry(table, address, readable, entry);
}

void FrameSearch::forget_what_is_old() {
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
  forget();
}

void FrameSearch::forget() {
  for (FrameTable& table : tables_) table = {};
  for (uint64_t& page : pages_) page = 0;
}

FrameTable* FrameSearch::table_of(uint64_t address) {
  for (FrameTable& table : tables_) {
    if (table.object.has(address)) return &table;
  }
  FrameTable* const found = &tables_[next_++ % most_objects];
  *found = {};
  found->object = CodeObject::at(address);
  return found;
}

}  // namespace leadline::recorder
