// Named regions: the one a thread is in, and for how long. A region costs a hash of its name and a time stamp. Calls
// know it by their call site, so the structure of the calls does not change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/clocks/clock.hpp"
#include "recorder/memory/lock.hpp"
#include "recording/live.hpp"
#include "recording/position_map.hpp"

namespace leadline::recorder {

// The process's: all regions by name and place. It has a separate lock, since threads that never call MPI have regions
// too.
class RegionNames {
 public:
  static constexpr size_t longest_name = 255;

  void attach(recording::Table<recording::LiveRegion> regions, recording::ByteTable names);
  // Number of the region with the name within `parent`; `parent` where there is no room for more.
  uint32_t find(uint32_t parent, const char* name, size_t length, uint64_t hash);
  uint32_t parent(uint32_t region) const { return regions_[region].parent; }

 private:
  Lock lock_;
  recording::Table<recording::LiveRegion> regions_;
  recording::ByteTable names_;
  recording::PositionMap map_;
};

// A thread's.
class RegionStack {
 public:
  struct Shared {
    RegionNames* names;
    const recording::LivePauses* pauses;
    uint64_t* unbalanced;
    uint64_t* merged;
  };

  void attach(recording::Table<recording::LiveRegionTimes> times, Shared shared) {
    times_ = times;
    shared_ = shared;
  }
  // Both return the region the thread is in then.
  uint32_t enter(const char* name, size_t length);
  uint32_t leave(const char* name, size_t length);
  void end();  // the thread or the process ends: those that are still open

  uint32_t current() const { return depth_ ? open_[depth_ - 1].region : 0; }

 private:
  static constexpr uint32_t most_open = 64;
  struct Open {
    uint64_t hash;  // of name and parent
    Ticks begin;    // on the clock that stands still while recording is paused
    uint32_t region;
    bool paused;  // at its begin
  };
  struct Cached {
    uint64_t hash;
    uint32_t region;
  };

  Ticks recorded_now() const;
  void close(const Open& open, Ticks end);
  static uint64_t hash_of(uint32_t parent, const char* name, size_t length);

  Open open_[most_open];
  Cached cache_[64] = {};
  uint32_t depth_ = 0;
  uint32_t beyond_ = 0;  // entered when most_open were open
  recording::Table<recording::LiveRegionTimes> times_;
  Shared shared_{};
};

}  // namespace leadline::recorder
