#include "recorder/requests.hpp"

#include <sys/mman.h>

#include "recorder/real.hpp"

namespace leadline::recorder {

namespace {

void* pages_of(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

bool Requests::grow() {
  const uint32_t capacity = capacity_ ? capacity_ * 2 : 256;
  auto* heads = static_cast<uint32_t*>(pages_of(capacity * sizeof(uint32_t)));
  void* slab = slab_ ? mremap(slab_, capacity_ * sizeof(Request), capacity * sizeof(Request), MREMAP_MAYMOVE)
                     : pages_of(capacity * sizeof(Request));
  if (!heads || !slab || slab == MAP_FAILED) return false;
  if (heads_) munmap(heads_, buckets_ * sizeof(uint32_t));
  slab_ = static_cast<Request*>(slab);
  heads_ = heads;
  capacity_ = buckets_ = capacity;
  // Chains again, oldest last, as they were: higher indices are not always younger, numbers are.
  for (uint32_t i = 1; i < used_; ++i) {
    if (!slab_[i].handle) continue;
    uint32_t* at = &heads_[bucket(slab_[i].handle, slab_[i].address, abi.shared_request(slab_[i].handle))];
    while (*at && slab_[*at].number > slab_[i].number) at = &slab_[*at].next;
    slab_[i].next = *at;
    *at = i;
  }
  return true;
}

uint32_t* Requests::link_to(uint32_t index) {
  const Request& r = slab_[index];
  uint32_t* at = &heads_[bucket(r.handle, r.address, abi.shared_request(r.handle))];
  while (*at && *at != index) at = &slab_[*at].next;
  return *at ? at : nullptr;
}

uint32_t* Requests::moved(uint64_t handle) {
  uint32_t oldest = none;
  for (uint32_t i = 1; i < used_; ++i) {
    if (slab_[i].handle == handle && (!oldest || slab_[i].number < slab_[oldest].number)) oldest = i;
  }
  return oldest ? link_to(oldest) : nullptr;
}

void Requests::remove(uint32_t index) {
  if (uint32_t* at = link_to(index)) remove(at);
}

}  // namespace leadline::recorder
