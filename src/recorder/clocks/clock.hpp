// Time stamps of calls: the processor's counter if it runs at a constant rate everywhere, otherwise the system's clock.
#pragma once

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace leadline::recorder {

using Ticks = uint64_t;

inline uint64_t system_ns(clockid_t which) {
  timespec t;
  clock_gettime(which, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// The calling thread's time on a core. Asking takes half a microsecond, on virtual machines up to three.
inline uint64_t processor_ns() { return system_ns(CLOCK_THREAD_CPUTIME_ID); }

// factor: ns per tick, 32.32 fixed point.
inline Ticks ticks_of_ns(uint64_t ns, uint64_t factor) {
  return factor ? static_cast<Ticks>(static_cast<double>(ns) * 0x1p32 / static_cast<double>(factor)) : 0;
}

// CLOCK_MONOTONIC, which all processes of a kernel share, and CLOCK_REALTIME. Tests put ranks of one host on clocks of
// their own: LEADLINE_TEST_CLOCKS="RANK:NS:PPM,..." puts that rank's clocks NS ahead and makes them PPM faster.
uint64_t monotonic_ns();
uint64_t wall_ns();

// The same for processes with the same monotonic clock: of the kernel's boot and the time namespace; 0: unknown.
uint64_t clock_identity();

extern bool counter_is_usable;  // set once, before the first stamp

inline Ticks now() {
#if defined(__x86_64__)
  if (__builtin_expect(counter_is_usable, 1)) return __rdtsc();
#elif defined(__aarch64__)
  if (__builtin_expect(counter_is_usable, 1)) {
    uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
  }
#endif
  return monotonic_ns();
}

// Both clocks at one moment: of three readings the shortest, for we may be interrupted in the middle of one.
void read_both(uint64_t* ns, Ticks* ticks);

// The counter's rate against the system's clock, from two readings as far apart as possible.
class TickRate {
 public:
  void begin();  // decides which clock to use; first reading
  // ns per tick, 32.32 fixed point; waits until the readings are so far apart. An error of a reading is some 50 ns.
  uint64_t factor(uint64_t at_least_ns = 1000000) const;

 private:
  Ticks first_ticks_ = 0;
  uint64_t first_ns_ = 0;
};

}  // namespace leadline::recorder
