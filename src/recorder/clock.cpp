#include "recorder/clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace leadline::recorder {

bool counter_is_usable = false;

namespace {

bool counter_is_invariant() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d)) return false;
  if (!(d & (1u << 8))) return false;
  // A kernel that found the counter unreliable (unsynchronised sockets, some virtual machines) does not use it either.
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char name[32] = {};
  const ssize_t n = read(fd, name, sizeof(name) - 1);
  close(fd);
  return n <= 0 || std::strncmp(name, "tsc", 3) == 0 || std::strncmp(name, "kvm-clock", 9) == 0 ||
         std::strncmp(name, "hyperv", 6) == 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

void TickRate::begin() {
  counter_is_usable = counter_is_invariant();
  first_ns_ = system_ns(CLOCK_MONOTONIC);
  first_ticks_ = now();
}

uint64_t TickRate::factor() const {
  if (!counter_is_usable) return uint64_t{1} << 32;
  uint64_t ns = 0;
  Ticks ticks = 0;
  do {
    ns = system_ns(CLOCK_MONOTONIC) - first_ns_;
    ticks = now() - first_ticks_;
  } while (ns < 1000000);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(ns) << 32) / ticks);
}

}  // namespace leadline::recorder
