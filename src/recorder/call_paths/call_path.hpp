// Call paths by memo: unwind once, then compare words on the stack.
//
// The first time a call comes from a return address with a frame at an address, the stack is unwound, and the places of
// the return addresses above it, up to main's, are kept (a spot). Later calls from the same spot read those places, and
// a hash of their contents finds the call site. Any change of the path changes one of these words, and so the hash (64
// bits, compared whole). The places are on the stack that the thread was started with, so they can always be read; on
// other stacks (coroutines, fibers) the kernel is asked first. An unwind costs over 1 us. Reading six places costs
// about 10 ns, and each further one less than half a nanosecond. Callers of one routine do not evict one another, even
// if they are many.
#pragma once

#include <cstdint>

#include "recorder/call_paths/contexts.hpp"
#include "recorder/call_paths/modules.hpp"
#include "recorder/library/functions.hpp"
#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

struct Caller {
  const void* return_address;
  const void* frame;  // canonical frame address of the wrapper: the return address stands just below it
};

#define LEADLINE_CALLER \
  leadline::recorder::Caller { __builtin_return_address(0), __builtin_dwarf_cfa() }

inline constexpr uint32_t no_site = UINT32_MAX;  // a layer made the call: not to be recorded

class CallPaths {
 public:
  struct Shared {  // of the process
    Modules* modules;
    bool (*lock)();
    void (*unlock)(bool taken);
    uint64_t* unknown;                             // counts calls whose site does not fit
    void (*learnt)(void* thread, uint64_t ticks);  // a path, which took so long
    void* thread;
  };

  bool attach(recording::Table<recording::LiveSite> sites, recording::Table<recording::LiveContext> contexts,
              Shared shared);

  // Other code may have replaced unloaded code, so nothing that was found by address is valid any more.
  void forget();
  // Another thread takes over. What was learnt stays valid if its stack is where the last thread's was.
  void belong_to_this_thread();

  // Number of the call site in the trace, or no_site.
  inline uint32_t site(Fn fn, Caller caller) {
    const auto ret = reinterpret_cast<uint64_t>(caller.return_address);
    const auto frame = reinterpret_cast<uint64_t>(caller.frame);
    const unsigned at = spot_of(ret, frame, fn);
    Spot* spot = &spots_[at];
    if (__builtin_expect(!spot->is(ret, frame, fn), 0)) {
      spot = &spots_[at ^ 1];
      if (__builtin_expect(!spot->is(ret, frame, fn), 0)) spot = further_spot(at, ret, frame, fn);
    }
    if (__builtin_expect(spot->is(ret, frame, fn), 1)) {
      const uint64_t hash = hash_of(*spot) + region_word_;
      if (__builtin_expect(hash == spot->last_hash, 1)) return spot->last_site;
      if (const Found& found = found_[found_at(hash)]; found.hash == hash) {
        spot->last_hash = hash;
        return spot->last_site = found.site;
      }
    }
    return learn(fn, caller);
  }

  // The function that is called there; function_count: there is no such site.
  uint32_t function_of(uint32_t site) const { return site < sites_.size() ? sites_[site].function : function_count; }

  // The named region that calls are made in from now on, 0: none.
  void set_region(uint32_t region) {
    region_ = region;
    region_word_ = region * factors[5];
  }

 private:
  static constexpr unsigned near_slots = 6;  // of a spot, beside it; further ones are in far_
  static constexpr unsigned spot_bits = 14, found_bits = 14;
  static constexpr unsigned spot_choices =
      16;  // places where a spot may be kept: even ten thousand hardly evict one another
  static constexpr uint64_t factors[7] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
                                          0xd6e8feb86659fd93, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53,
                                          0x2545f4914f6cdd1d};
  static constexpr uint64_t far_factors[4] = {0x9fb21c651e98df25, 0xa0761d6478bd642f, 0xe7037ed1a0b428db,
                                              0x8ebc6af09c88c6e3};

  struct alignas(64) Spot {
    uint64_t ret, frame;
    uint64_t last_hash;  // what was found here last
    uint32_t last_site;
    uint32_t salt;  // unique to each spot, so that a result for another spot's words does not match
    uint16_t fn;
    uint16_t slots;
    int32_t offset[near_slots];  // from the frame address, of the slots that hold return addresses
    uint32_t far;                // where in far_ the further ones are

    bool is(uint64_t r, uint64_t f, Fn function) const {
      return ((ret ^ r) | (frame ^ f) | (fn ^ static_cast<uint64_t>(function))) == 0;
    }
    uint64_t word(int32_t from_frame) const {
      return *reinterpret_cast<const uint64_t*>(frame + static_cast<uint64_t>(int64_t{from_frame}));
    }
    uint64_t near(unsigned i) const { return word(offset[i]) * factors[i]; }
  };
  static_assert(sizeof(Spot) == 64);
  static constexpr int32_t unused_slot = -static_cast<int32_t>(sizeof(void*));  // the key's return address
  struct Found {
    uint64_t hash;
    uint32_t site;
  };

  struct Learning;  // state that is only needed while a path is learnt

  // Address space; only touched pages take memory.
  static constexpr size_t spots_bytes = sizeof(Spot) << spot_bits, found_bytes = sizeof(Found) << found_bits;
  static constexpr uint32_t far_capacity = 1u << 20;
  static constexpr size_t far_bytes = far_capacity * sizeof(int32_t);
  static constexpr size_t memo_bytes = spots_bytes + found_bytes + far_bytes;

  static unsigned spot_of(uint64_t ret, uint64_t frame, Fn fn) {
    return static_cast<unsigned>((ret * 31 + (frame >> 4) + static_cast<uint64_t>(fn) * 7) * factors[0] >>
                                 (64 - spot_bits));
  }
  static unsigned found_at(uint64_t hash) { return static_cast<unsigned>(hash * factors[6] >> (64 - found_bits)); }

  uint64_t hash_of(const Spot& s) const {
    uint64_t h = s.salt * factors[6] + s.near(0) + s.near(1) + s.near(2) + s.near(3);
    if (__builtin_expect(s.slots > 4, 0)) {
      h += s.near(4) + s.near(5);
      if (s.slots > near_slots) h += hash_of_far(s);
    }
    return h;
  }
  uint64_t hash_of_far(const Spot& s) const;

  // The spot at one of its further places; if it is at none, any other one.
  [[gnu::noinline]] Spot* further_spot(unsigned at, uint64_t ret, uint64_t frame, Fn fn) {
    unsigned i = 2;
    while (i + 1 < spot_choices && !spots_[at ^ i].is(ret, frame, fn)) ++i;
    return &spots_[at ^ i];
  }

  // Of stacks that may be unmapped while their spots are remembered: they are found by another number, which site()
  // does not ask for, and read only after the kernel was asked whether they can be.
  static Fn on_passing_stack(Fn fn) { return static_cast<Fn>(static_cast<uint16_t>(fn) | 0x8000u); }
  static_assert(function_count + trace::max_functions < 0x8000);
  bool find_on_passing_stack(Fn fn, Caller caller, uint32_t* site);
  bool can_be_read(const Spot& spot) const;

  uint32_t learn(Fn fn, Caller caller);
  uint32_t learn_site(Fn fn, Caller caller);
  void keep(Fn fn, Caller caller, uint32_t site);
  unsigned slots_to_compare(const void* frame);
  uint32_t keep_far(const int32_t* offsets, unsigned count);
  uint32_t intern(Fn fn, uint32_t context);

  Spot* spots_ = nullptr;
  Found* found_ = nullptr;
  int32_t* far_ = nullptr;  // rows of offsets, each kept once: calls made by one activation of a routine share theirs
  Learning* learning_ = nullptr;
  uint32_t far_used_ = 0;
  uint32_t last_salt_ = 0;
  uint32_t region_ = 0;
  uint64_t region_word_ = 0;
  bool any_on_passing_stack_ = false;
  recording::Table<recording::LiveSite> sites_;
  Contexts contexts_;
  recording::PositionMap map_{1u << 17};
  recording::PositionMap far_map_{1u << 17};
  Shared shared_{};
};

}  // namespace leadline::recorder
