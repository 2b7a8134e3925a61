#include "probe/timing.hpp"

#include <time.h>

#include <algorithm>

namespace leadline::probe {

namespace {

constexpr int blocks = 6, first_calls = 4;
constexpr double block_us = 10'000, most_calls = 2000;

double now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double run(const Library& library, Handle group, int calls, const std::function<void()>& operation) {
  library.barrier(group);
  const double begin = now_us();
  for (int i = 0; i < calls; ++i) operation();
  return (now_us() - begin) / calls;
}

}  // namespace

std::vector<double> time_blocks(const Library& library, Handle group, const std::function<void()>& operation) {
  run(library, group, first_calls, operation);
  const double once = run(library, group, first_calls, operation);
  int calls = static_cast<int>(std::clamp(block_us / std::max(once, 1e-3), 1.0, most_calls));
  library.bcast(&calls, sizeof(calls), library.byte, 0, group);
  std::vector<double> found;
  for (int i = 0; i < blocks; ++i) found.push_back(run(library, group, calls, operation));
  return found;
}

}  // namespace leadline::probe
