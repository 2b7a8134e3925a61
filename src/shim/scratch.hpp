// Memory of one collective. The last block is kept for the next one, because fresh pages would cost more than the
// messages.
#pragma once

#include <stdlib.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace leadline::shim {

class Scratch {
 public:
  explicit Scratch(size_t bytes) {
    if (!bytes) return;
    block_ = kept_.exchange(nullptr);
    if (block_ && block_->bytes >= bytes) return;
    free(block_);
    block_ = static_cast<Block*>(aligned_alloc(alignof(Block), (sizeof(Block) + bytes + 63) & ~size_t{63}));
    if (block_) block_->bytes = bytes;
  }
  ~Scratch() {
    if (block_) free(kept_.exchange(block_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // nullptr: none was wanted, or there is none.
  char* get() const { return block_ ? reinterpret_cast<char*>(block_ + 1) : nullptr; }

 private:
  struct alignas(64) Block {
    size_t bytes;
  };
  static inline std::atomic<Block*> kept_{nullptr};
  Block* block_ = nullptr;
};

}  // namespace leadline::shim
