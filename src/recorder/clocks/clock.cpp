#include "recorder/clocks/clock.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>

#include "host/launcher_variables.hpp"
#include "host/own_file.hpp"
#include "recorder/library/functions.hpp"
#include "trace/hash.hpp"

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

// For tests; see clock.hpp.
struct Shift {
  int64_t ns = 0, ppm = 0;
  uint64_t from_ns = 0;
  bool set = false;
};
Shift shift;

void read_shift() {
  const char* text = getenv("LEADLINE_TEST_CLOCKS");
  if (!text || !*text) return;
  const long long own = host::launcher_rank();
  shift = {0, 0, system_ns(CLOCK_MONOTONIC), true};
  long long rank = 0, ns = 0, ppm = 0;
  for (const char* at = text; own >= 0 && sscanf(at, "%lld:%lld:%lld", &rank, &ns, &ppm) == 3;) {
    if (rank == own) shift.ns = ns, shift.ppm = ppm;
    at = std::strchr(at, ',');
    if (!at) break;
    ++at;
  }
}

uint64_t shifted(uint64_t ns, uint64_t monotonic) {
  const auto since = static_cast<int64_t>(monotonic - shift.from_ns);
  return ns + static_cast<uint64_t>(shift.ns + since * shift.ppm / 1000000);
}

}  // namespace

uint64_t monotonic_ns() {
  const uint64_t ns = system_ns(CLOCK_MONOTONIC);
  return __builtin_expect(shift.set, 0) ? shifted(ns, ns) : ns;
}

uint64_t wall_ns() {
  const uint64_t ns = system_ns(CLOCK_REALTIME);
  return __builtin_expect(shift.set, 0) ? shifted(ns, system_ns(CLOCK_MONOTONIC)) : ns;
}

void read_both(uint64_t* ns, Ticks* ticks) {
  Ticks shortest = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const Ticks before = now();
    const uint64_t at = monotonic_ns();
    const Ticks took = now() - before;
    if (took >= shortest) continue;
    shortest = took;
    *ns = at;
    *ticks = before + took / 2;
  }
}

uint64_t clock_identity() {
  char text[64] = {};
  const int fd = open_own("/proc/sys/kernel/random/boot_id", O_RDONLY);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (got <= 0) return 0;
  uint64_t identity = 0;
  for (const char* p = text; *p; ++p) identity = trace::mix(identity, static_cast<unsigned char>(*p));
  char space[64] = {};
  if (readlink("/proc/self/ns/time", space, sizeof(space) - 1) < 0) space[0] = 0;
  for (const char* p = space; *p; ++p) identity = trace::mix(identity, static_cast<unsigned char>(*p));
  if (shift.set) identity = trace::mix(identity, static_cast<uint64_t>(getpid()));
  return identity | 1;
}

void TickRate::begin() {
  counter_is_usable = counter_is_invariant();
  read_shift();
  read_both(&first_ns_, &first_ticks_);
}

uint64_t TickRate::factor(uint64_t at_least_ns) const {
  if (!counter_is_usable) return uint64_t{1} << 32;
  uint64_t ns = 0;
  Ticks ticks = 0;
  do {
    read_both(&ns, &ticks);
    ns -= first_ns_;
    ticks -= first_ticks_;
  } while (ns < at_least_ns);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(ns) << 32) / ticks);
}

}  // namespace leadline::recorder
