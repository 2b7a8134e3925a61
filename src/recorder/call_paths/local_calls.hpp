// Local functions: counted exactly by caller, timed by sampling, without their order.
#pragma once

#include "recorder/call_paths/call_path.hpp"

namespace leadline::recorder {

class LocalCalls {
 public:
  struct Shared {
    Modules* modules;
    bool (*lock)();
    void (*unlock)(bool taken);
    uint64_t* merged;                              // counts calls whose caller does not fit the table
    void (*learnt)(void* thread, uint64_t ticks);  // a caller, which took so long
    void* thread;
  };
  // A call made by a layer: counts nothing.
  static constexpr recording::LiveLocal* not_counted = nullptr;

  void attach(recording::Table<recording::LiveLocal> table, Shared shared) {
    table_ = table;
    shared_ = shared;
  }

  // Other code may have replaced unloaded code.
  void forget() {
    for (Cached& c : cache_) c = Cached{};
  }

  inline recording::LiveLocal* find(Fn fn, const void* return_address) {
    const auto ret = reinterpret_cast<uint64_t>(return_address);
    const Cached& c = cache_[slot(ret)];
    if (__builtin_expect(c.ret == ret && c.fn == fn, 1)) return c.local;
    return learn(fn, ret);
  }

  // Counts a call of any function, if its caller's are recorded.
  void count_only(Fn fn, const void* return_address) {
    if (recording::LiveLocal* local = find(fn, return_address)) ++local->calls;
  }

  // The first calls are all timed, later ones one in eight.
  static bool timed(uint64_t calls) { return calls < 16 || (calls & 7) == 0; }
  static uint64_t weight(uint64_t calls) { return calls < 16 ? 1 : 8; }

 private:
  static constexpr unsigned cache_size = 256;
  struct Cached {
    uint64_t ret;
    recording::LiveLocal* local;
    Fn fn;
  };
  static unsigned slot(uint64_t ret) { return static_cast<unsigned>(ret * 0x9e3779b97f4a7c15ull >> 56); }

  recording::LiveLocal* learn(Fn fn, uint64_t ret);
  recording::LiveLocal* entry(Fn fn, uint64_t caller);

  Cached cache_[cache_size] = {};
  recording::Table<recording::LiveLocal> table_;
  uint16_t place_[recording::capacity::locals] = {};  // by hash: entry + 1
  recording::LiveLocal nowhere_{};                    // where there is no memory for an entry
  Shared shared_{};
};

}  // namespace leadline::recorder
