#include "recording/context_index.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace leadline::recording {

bool ContextIndex::update(const Table<LiveContext>& contexts) {
  const uint32_t size = contexts.size();
  if (size < count_) forget();
  if (!rows_) {
    bytes_ = uint64_t{contexts.capacity()} * (sizeof(Row) + sizeof(*by_frame_));
    void* const memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    rows_ = static_cast<Row*>(memory);
    by_frame_ = reinterpret_cast<uint32_t*>(rows_ + contexts.capacity());
  }
  for (; count_ < size; ++count_) {
    by_frame_[count_] = count_;
    const uint32_t above = contexts[count_].parent;
    if (above >= count_) continue;  // the first ones; damage
    Row& parent = rows_[above];
    (parent.last_child ? rows_[parent.last_child].next : parent.first_child) = count_;
    parent.last_child = count_;
  }
  constexpr uint32_t most_unsorted = 64;
  if (count_ - sorted_ > most_unsorted) {
    std::sort(by_frame_, by_frame_ + count_,
              [&](uint32_t a, uint32_t b) { return contexts[a].frame < contexts[b].frame; });
    sorted_ = count_;
  }
  return true;
}

void ContextIndex::forget() {
  if (rows_) munmap(static_cast<void*>(rows_), bytes_);
  rows_ = nullptr;
  count_ = sorted_ = 0;
}

}  // namespace leadline::recording
