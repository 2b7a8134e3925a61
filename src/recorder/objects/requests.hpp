// Finds the call that made the request that this call completes.
//
// A request is known by its handle. Libraries give finished operations one shared handle (abi.shared_request). Those
// are distinguished by the address of the caller's variable. Several requests of one variable (a layer's, or one that
// the program copied from) form a queue, and only its oldest is in the chain. If the program completes a copy, the
// oldest request with that handle is taken. Either way there is no search, however many there are. If one thread
// completes an operation, a library may reuse its handle for another thread's next one before the first thread has
// recorded the completion. Two entries then have the handle, and the address shows which is meant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/event.hpp"

namespace leadline::recorder {

struct alignas(64) Request {
  uint64_t handle;
  uint64_t address;  // where the program kept it when it was made
  trace::Key maker;  // key of the call that made it (of the creator, for a persistent one)
  uint64_t number;   // count of requests this thread had made, with this one
  uint64_t created;  // count of persistent requests this thread had created; 0: not persistent
  static constexpr uint64_t created_while_paused = UINT64_MAX;  // created while recording was paused
  int64_t posted_bytes;
  uint32_t next;  // in its chain, youngest first
  uint16_t thread;
  bool active;  // false: inactive, or made or started while recording was paused: nothing to refer to
  bool receives;
  bool wildcard;
  bool listed;         // has a shared handle
  bool queued;         // behind another one of its variable: not in a chain
  bool cancelled;      // MPI_Cancel was called: only a status says whether it came in time
  uint8_t file_moves;  // of a file operation: moves::reads or moves::writes, else 0
  uint32_t pending;    // of MPI_Comm_idup: the number in Handles of the communicator being made, else 0
  // Of shared handles only:
  uint32_t queue_next, queue_last;  // of one variable; the last one is kept by the first
  uint32_t older, younger;          // of all in one list
  bool special() const { return cancelled || pending; }
  // A message's, under way, of which nothing else is to be known.
  bool plain() const { return active && !wildcard && !special() && !created && !file_moves; }
};
static_assert(sizeof(Request) == 128);

class Requests {
 public:
  static constexpr uint32_t none = 0;

  Request& operator[](uint32_t i) { return slab_[i]; }

  // An entry for the handle, whose other fields are the caller's to set; `none` where there is no memory.
  inline uint32_t add(uint64_t handle, uint64_t address, uint16_t thread, bool shared) {
    uint32_t index = free_;
    if (__builtin_expect(!index, 0)) {
      if (used_ >= capacity_ && !grow()) return none;
      index = used_++;
      slab_[index].next = none;
    }
    uint32_t& head = heads_[bucket(handle, address, shared)];
    if (!shared && head && slab_[head].handle == handle &&
        (slab_[head].thread == thread || slab_[head].address == address)) {  // stale: its completion was not seen
      if (index == used_ - 1 && index != free_) --used_;
      slab_[head].address = address;
      return head;
    }
    free_ = slab_[index].next;
    Request& r = slab_[index];
    r.handle = handle;
    r.address = address;
    r.listed = shared;
    r.queued = false;
    if (__builtin_expect(shared, 0) && enlist(index)) return index;
    r.next = head;
    head = index;
    return index;
  }

  // The link in a chain that leads to the request, nullptr if it is not there. Among requests that share a handle, the
  // oldest of that address is taken, else the oldest of all. Otherwise the one at the address is, else the youngest.
  inline uint32_t* link(uint64_t handle, uint64_t address, bool shared) {
    if (!buckets_) return nullptr;
    uint32_t* found = nullptr;
    for (uint32_t* at = &heads_[bucket(handle, address, shared)]; *at; at = &slab_[*at].next) {
      if (slab_[*at].handle != handle) continue;
      if (slab_[*at].address == address) {
        found = at;
        break;
      } else if (!shared && !found) {
        found = at;
      }
    }
    return found || !shared ? found : moved(handle);
  }
  uint32_t find(uint64_t handle, uint64_t address, bool shared) {
    const uint32_t* at = link(handle, address, shared);
    return at ? *at : none;
  }
  void remove(uint32_t* link) {
    const uint32_t index = *link;
    if (__builtin_expect(slab_[index].listed, 0)) {
      delist(link);
    } else {
      *link = slab_[index].next;
    }
    slab_[index].handle = 0;
    slab_[index].next = free_;
    free_ = index;
  }
  void remove(uint32_t index);

 private:
  uint32_t bucket(uint64_t handle, uint64_t address, bool shared) const {
    const uint64_t h = (handle ^ (shared ? address << 7 : 0)) * 0x9e3779b97f4a7c15ull;
    return static_cast<uint32_t>(h >> 32) & (buckets_ - 1);
  }
  bool grow();
  // The oldest with the handle, wherever the program kept it: it has moved it.
  uint32_t* moved(uint64_t handle);
  uint32_t* link_to(uint32_t index);

  struct List {
    uint32_t oldest = none, youngest = none;
  };
  static constexpr unsigned list_bits = 4;  // shared handles are few, and differ by the kind of operation
  List& list_of(uint64_t handle) { return lists_[handle * 0x9e3779b97f4a7c15ull >> (64 - list_bits)]; }
  bool enlist(uint32_t index);  // true: behind another one of its variable
  void delist(uint32_t* link);  // the next one of its variable takes its place

  Request* slab_ = nullptr;
  uint32_t* heads_ = nullptr;
  uint32_t buckets_ = 0;
  uint32_t capacity_ = 0, used_ = 1, free_ = 0;
  List lists_[1u << list_bits];
};

}  // namespace leadline::recorder
