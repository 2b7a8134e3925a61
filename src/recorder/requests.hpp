// Which call made the request that this call completes.
//
// A request is known by its handle. Libraries give finished operations one shared handle (abi.shared_request): those are
// told apart by the address of the caller's variable, and where the program moved it, the oldest is taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/event.hpp"

namespace leadline::recorder {

struct Request {
  uint64_t handle = 0;
  uint64_t address = 0;  // where the program kept it when it was made
  trace::Key maker{};    // key of the call that made it (of the last Start's creator, for a persistent one)
  uint64_t number = 0;   // count of requests this thread had made; for the creation of a persistent one: `created`
  uint64_t created = 0;  // count of persistent requests this thread had created; 0: not persistent
  int64_t posted_bytes = 0;
  uint16_t thread = 0;
  bool active = true;
  bool receives = false;
  bool wildcard = false;
  uint32_t next = 0;  // in its chain
};

class Requests {
 public:
  static constexpr uint32_t none = 0;

  Request& operator[](uint32_t i) { return slab_[i]; }
  // A new entry for the handle; `none` where there is no memory. A stale entry of the same handle is dropped.
  uint32_t add(uint64_t handle, uint64_t address, bool shared);
  uint32_t find(uint64_t handle, uint64_t address, bool shared) const;
  void remove(uint32_t index);
  void clear();

 private:
  uint32_t bucket(uint64_t handle, uint64_t address, bool shared) const {
    const uint64_t h = (handle ^ (shared ? address << 7 : 0)) * 0x9e3779b97f4a7c15ull;
    return static_cast<uint32_t>(h >> 32) & (buckets_ - 1);
  }
  bool grow();

  Request* slab_ = nullptr;
  uint32_t* heads_ = nullptr;
  uint32_t buckets_ = 0;
  uint32_t capacity_ = 0, used_ = 1, free_ = 0;
};

}  // namespace leadline::recorder
