#include "recorder/memory/scratch.hpp"

#include <sys/mman.h>

namespace leadline::recorder {

void* Scratch::ensure(size_t bytes) {
  if (bytes <= bytes_) return memory_;
  size_t want = bytes_ ? bytes_ : size_t{1} << 14;
  while (want < bytes) want *= 2;
  void* p = mmap(nullptr, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (memory_) munmap(memory_, bytes_);
  memory_ = p;
  bytes_ = want;
  return memory_;
}

}  // namespace leadline::recorder
