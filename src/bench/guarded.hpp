// Memory between canaries: bytes before and behind it that nobody has reason to write.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace leadline::bench {

class Guarded {
 public:
  // It begins with a page, and all its pages are there.
  explicit Guarded(int64_t bytes) : bytes_(bytes) {
    const std::size_t whole = std::size_t(bytes / page + 3) * page;
    memory_.reset(static_cast<char*>(std::aligned_alloc(page, whole)));
    if (!memory_) MPI_Abort(MPI_COMM_WORLD, 70);
    std::memset(memory_.get(), 0, whole);
    restore();
  }
  char* get() const { return memory_.get() + page; }
  void write_behind() { get()[bytes_] = 0; }
  // What one candidate did is not held against the next.
  void restore() const {
    std::memset(get() - canary, sign, canary);
    std::memset(get() + bytes_, sign, canary);
  }
  bool intact() const {
    for (int i = 0; i < canary; ++i)
      if (get()[-1 - i] != sign || get()[bytes_ + i] != sign) return false;
    return true;
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  static constexpr int page = 4096, canary = 64;
  static constexpr char sign = 0x5a;
  int64_t bytes_;
  std::unique_ptr<char, Free> memory_;
};

}  // namespace leadline::bench
