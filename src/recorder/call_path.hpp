// Call paths by memo: unwinding once, then comparing what stands on the stack.
//
// The first time a call comes from a return address with a frame at an address, the stack is unwound, and the places of the
// return addresses above it are kept (a spot). Later calls from the same spot read those places; a hash of what they hold
// finds the call site. Any change of the path changes one of these words, and so the hash (64 bits, compared whole).
// An unwind costs over 1 us, reading six places about 10 ns, and many callers of one routine do not evict one another.
#pragma once

#include <cstdint>

#include "leadline/functions.hpp"
#include "recorder/modules.hpp"
#include "trace/hash.hpp"
#include "trace/live.hpp"

namespace leadline::recorder {

struct Caller {
  const void* return_address;
  const void* frame;  // canonical frame address of the wrapper: the return address stands just below it
};

#define LEADLINE_CALLER \
  leadline::recorder::Caller { __builtin_return_address(0), __builtin_dwarf_cfa() }

inline constexpr uint32_t no_site = UINT32_MAX;  // the call is a layer's own: not to be recorded

class CallPaths {
 public:
  struct Shared {  // of the process
    Modules* modules;
    void (*lock)();
    void (*unlock)();
    uint64_t* unknown;  // counts calls whose site does not fit
  };

  bool attach(trace::Table<trace::LiveSite> sites, trace::Table<uint64_t> paths, Shared shared);

  // Number of the call site in the trace, or no_site.
  inline uint32_t site(Fn fn, Caller caller) {
    const auto ret = reinterpret_cast<uint64_t>(caller.return_address);
    const auto frame = reinterpret_cast<uint64_t>(caller.frame);
    const Spot& spot = spots_[spot_of(ret, frame, fn)];
    if (spot.ret == ret && spot.frame == frame && spot.fn == static_cast<uint16_t>(fn)) {
      uint64_t hash = ret * factors[0] + static_cast<uint64_t>(fn);
      for (unsigned i = 0; i < spot.frames; ++i) {
        hash += *reinterpret_cast<const uint64_t*>(frame + spot.offset[i]) * factors[i + 1];
      }
      const Found& found = found_[found_at(hash)];
      if (found.hash == hash) return found.site;
    }
    return learn(fn, caller);
  }

 private:
  static constexpr unsigned user_frames = 5, max_frames = 7;  // the path; with those of layers in front of it
  static constexpr unsigned spot_bits = 10, found_bits = 12;
  static constexpr uint64_t factors[max_frames + 1] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
                                                       0xd6e8feb86659fd93, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53,
                                                       0x2545f4914f6cdd1d, 0x369dea0f31a53f85};

  struct Spot {
    uint64_t ret, frame;
    uint16_t fn;
    uint16_t frames;
    uint32_t offset[max_frames];  // from the frame address up, of the slots that hold return addresses
  };
  struct Found {
    uint64_t hash;
    uint32_t site;
  };

  static unsigned spot_of(uint64_t ret, uint64_t frame, Fn fn) {
    return static_cast<unsigned>((ret * 31 + (frame >> 4) + static_cast<uint64_t>(fn) * 7) * factors[0] >>
                                 (64 - spot_bits));
  }
  static unsigned found_at(uint64_t hash) { return static_cast<unsigned>((hash ^ hash >> 32) * factors[0] >> (64 - found_bits)); }

  uint32_t learn(Fn fn, Caller caller);
  uint32_t intern(Fn fn, const uint64_t* frames, uint32_t count);

  Spot* spots_ = nullptr;
  Found* found_ = nullptr;
  trace::Table<trace::LiveSite> sites_;
  trace::Table<uint64_t> paths_;
  trace::PositionMap map_{1u << 17};
  Shared shared_{};
};

}  // namespace leadline::recorder
