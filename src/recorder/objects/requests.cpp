#include "recorder/objects/requests.hpp"

#include <sys/mman.h>

#include "recorder/library/functions.hpp"

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
  if (!heads) return false;
  void* slab = slab_ ? mremap(slab_, capacity_ * sizeof(Request), capacity * sizeof(Request), MREMAP_MAYMOVE)
                     : pages_of(capacity * sizeof(Request));
  if (!slab || slab == MAP_FAILED) {
    munmap(heads, capacity * sizeof(uint32_t));
    return false;
  }
  if (heads_) munmap(heads_, buckets_ * sizeof(uint32_t));
  slab_ = static_cast<Request*>(slab);
  heads_ = heads;
  capacity_ = buckets_ = capacity;
  // Chains again, oldest last, as they were: higher indices are not always younger, numbers are.
  for (uint32_t i = 1; i < used_; ++i) {
    if (!slab_[i].handle || slab_[i].queued) continue;
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
  uint32_t i = list_of(handle).oldest;
  while (i && slab_[i].handle != handle) i = slab_[i].younger;
  return i ? link_to(i) : nullptr;  // no older one of its variable: it is in a chain
}

bool Requests::enlist(uint32_t index) {
  Request& r = slab_[index];
  List& list = list_of(r.handle);
  r.older = list.youngest;
  r.younger = none;
  r.queue_next = none;
  r.queue_last = index;
  (list.youngest ? slab_[list.youngest].younger : list.oldest) = index;
  list.youngest = index;
  uint32_t first = heads_[bucket(r.handle, r.address, true)];
  while (first && (slab_[first].handle != r.handle || slab_[first].address != r.address)) first = slab_[first].next;
  if (!first) return false;
  slab_[slab_[first].queue_last].queue_next = index;
  slab_[first].queue_last = index;
  return r.queued = true;
}

void Requests::delist(uint32_t* link) {
  Request& r = slab_[*link];
  List& list = list_of(r.handle);
  (r.older ? slab_[r.older].younger : list.oldest) = r.younger;
  (r.younger ? slab_[r.younger].older : list.youngest) = r.older;
  if (!r.queue_next) {
    *link = r.next;
    return;
  }
  Request& second = slab_[r.queue_next];
  second.queued = false;
  second.next = r.next;
  if (r.queue_last != r.queue_next) second.queue_last = r.queue_last;
  *link = r.queue_next;
}

void Requests::remove(uint32_t index) {
  if (uint32_t* at = link_to(index)) remove(at);
}

}  // namespace leadline::recorder
