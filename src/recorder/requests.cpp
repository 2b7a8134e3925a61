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

uint32_t Requests::add(uint64_t handle, uint64_t address, bool shared) {
  if (!shared) {
    if (const uint32_t stale = find(handle, address, false)) remove(stale);
  }
  uint32_t index = free_;
  if (index) {
    free_ = slab_[index].next;
  } else {
    if (used_ >= capacity_ && !grow()) return none;
    index = used_++;
  }
  Request& r = slab_[index];
  r = Request{};
  r.handle = handle;
  r.address = address;
  uint32_t& head = heads_[bucket(handle, address, shared)];
  r.next = head;
  head = index;
  return index;
}

uint32_t Requests::find(uint64_t handle, uint64_t address, bool shared) const {
  if (!buckets_) return none;
  uint32_t oldest = none;
  for (uint32_t i = heads_[bucket(handle, address, shared)]; i; i = slab_[i].next) {
    if (slab_[i].handle == handle && (!shared || slab_[i].address == address)) oldest = i;
  }
  if (oldest || !shared) return oldest;
  for (uint32_t i = 1; i < used_; ++i) {  // moved by the program, and only then
    if (slab_[i].handle == handle && (!oldest || slab_[i].number < slab_[oldest].number)) oldest = i;
  }
  return oldest;
}

void Requests::remove(uint32_t index) {
  Request& r = slab_[index];
  uint32_t* at = &heads_[bucket(r.handle, r.address, abi.shared_request(r.handle))];
  while (*at && *at != index) at = &slab_[*at].next;
  if (*at) *at = r.next;
  r.handle = 0;
  r.next = free_;
  free_ = index;
}

void Requests::clear() {
  if (heads_) munmap(heads_, buckets_ * sizeof(uint32_t));
  if (slab_) munmap(slab_, capacity_ * sizeof(Request));
  *this = Requests{};
}

}  // namespace leadline::recorder
