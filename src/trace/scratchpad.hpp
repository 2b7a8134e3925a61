// Temporary memory from the system: this code runs inside the host.
#pragma once

#include <sys/mman.h>

#include <cstdint>

namespace leadline::trace {

// Memory from the system, zeroed.
template <class T>
class Scratchpad {
 public:
  explicit Scratchpad(uint64_t n) : bytes_(n * sizeof(T) + 1) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) data_ = static_cast<T*>(p);
  }
  ~Scratchpad() {
    if (data_) munmap(data_, bytes_);
  }
  Scratchpad(const Scratchpad&) = delete;
  Scratchpad& operator=(const Scratchpad&) = delete;
  explicit operator bool() const { return data_ != nullptr; }
  T* get() const { return data_; }
  T& operator[](uint64_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  uint64_t bytes_;
};

}  // namespace leadline::trace
