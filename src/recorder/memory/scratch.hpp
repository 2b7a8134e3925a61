// Memory for the data of one call.
#pragma once

#include <cstddef>

namespace leadline::recorder {

// Memory that grows and is kept: lists of handles, statuses and words of the call at hand.
class Scratch {
 public:
  template <class T>
  T* get(size_t n) {
    return static_cast<T*>(ensure(n * sizeof(T)));
  }

 private:
  void* ensure(size_t bytes);
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace leadline::recorder
