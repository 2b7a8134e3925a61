// Two processes on cores 0 and 1: operations through memory that they share (src/collectives/node), and beside each the
// bound: the time that its copies and reductions take if each process can use the buffers of the other as its own.
//
//     g++ -O2 -std=c++20 -Isrc -Ibuild/dev/generated benchmarks/node/two_ranks.cpp src/collectives/node/*.cpp
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "collectives/node/team.hpp"

using namespace leadline::collectives;

namespace {

constexpr int64_t longest = 4 << 20;

struct Shared {
  alignas(64) std::atomic<uint64_t> arrived[2];
  alignas(64) char offers[2][64];
  alignas(64) std::atomic<int64_t> took[2];
  alignas(4096) char input[2][longest], data[2][longest];
};

Shared* shared;
int rank_;
uint64_t meetings = 0;

void meet() {
  shared->arrived[rank_].store(++meetings, std::memory_order_release);
  while (shared->arrived[1 - rank_].load(std::memory_order_acquire) < meetings) {
  }
}

int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

bool gather(void*, const void* mine, void* all, int bytes) {
  memcpy(shared->offers[rank_], mine, static_cast<size_t>(bytes));
  meet();
  for (int i = 0; i < 2; ++i)
    memcpy(static_cast<char*>(all) + i * bytes, shared->offers[i], static_cast<size_t>(bytes));
  meet();
  return true;
}

bool agree(void*, bool mine) {
  char one = mine, all[2];
  gather(nullptr, &one, all, 1);
  return all[0] && all[1];
}

int copy(void*, const void* from, void* to, int64_t n) {
  memcpy(to, from, static_cast<size_t>(n * 8));
  return 0;
}

// One of each by turns, because other work on the machine, and where its host runs the two cores, change within
// seconds. Microseconds of the later process, least and median, and the median of the second's time divided by the
// first's of the same turn, with its quartiles. Both have just written their buffers.
struct Timed {
  static constexpr int rounds = 401;
  int64_t ns[rounds];

  template <class F>
  void time(int round, int64_t bytes, F f) {
    for (int64_t k = 0; k < bytes; k += 64) shared->input[rank_][k]++;
    for (int64_t k = 0; k < bytes; k += 64) (void)*const_cast<volatile char*>(&shared->data[rank_][k]);
    meet();
    meet();
    const int64_t begin = now();
    f();
    shared->took[rank_].store(now() - begin);
    meet();
    ns[round] = std::max(shared->took[0].load(), shared->took[1].load());
  }
  double sorted_us(int place) {
    std::sort(ns, ns + rounds);
    return static_cast<double>(ns[place]) / 1e3;
  }
};

template <class Bound, class F>
void compare(const char* what, int64_t bytes, Bound bound, F f) {
  constexpr int rounds = Timed::rounds;
  static Timed first, second;
  static double ratios[rounds];
  for (int i = 0; i < rounds; ++i) {
    first.time(i, bytes, bound);
    second.time(i, bytes, f);
    ratios[i] = static_cast<double>(second.ns[i]) / static_cast<double>(std::max<int64_t>(first.ns[i], 1));
  }
  std::sort(ratios, ratios + rounds);
  const double least[2] = {first.sorted_us(0), second.sorted_us(0)};
  const double middle[2] = {first.sorted_us(rounds / 2), second.sorted_us(rounds / 2)};
  if (rank_ == 0)
    printf("| %-9s | %7lld | %8.2f %8.2f | %8.2f %8.2f | %5.2f (%.2f to %.2f) |\n", what, static_cast<long long>(bytes),
           least[0], middle[0], least[1], middle[1], ratios[rounds / 2], ratios[rounds / 4], ratios[rounds * 3 / 4]);
}

}  // namespace

int main() {
  shared =
      static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  rank_ = fork() == 0 ? 1 : 0;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(rank_, &one);
  sched_setaffinity(0, sizeof one, &one);
  memset(shared->input[rank_], 1, longest);
  memset(shared->data[rank_], 0, longest);
  meet();
  auto team = node::Team::make(rank_, 2, nullptr, {nullptr, gather, agree});
  if (!team) return 1;
  const auto sum = node::find_combine("MPI_SUM", "MPI_DOUBLE", 8);
  const node::Means means{
      .state = nullptr, .reduce = nullptr, .copy = copy, .progress = [](void*) {}, .combine = sum, .extent = 8};
  char *in = shared->input[rank_], *out = shared->data[rank_], *other = shared->input[1 - rank_];
  if (rank_ == 0) printf("|           |   bytes | bound: least, median | operation: least, median | ratio |\n");
  for (int64_t n : {8, 1024, 65536, 1 << 20, 4 << 20}) {
    const int64_t c = n / 8, half = c / 2;
    const int64_t counts[2] = {half, c - half}, begins[2] = {0, half * 8};
    const int64_t mine = begins[rank_], rest = begins[1 - rank_];
    compare(
        "broadcast", n,
        [&] {
          if (rank_ == 1) memcpy(out, other, n);
        },
        [&] { team->run({Operation::broadcast, 0, c, in, in}, means); });
    compare(
        "reduce", n,
        [&] {
          if (rank_ == 0) sum(in, other, out, c);
        },
        [&] { team->run({Operation::reduce, 0, c, in, rank_ == 0 ? out : nullptr}, means); });
    compare(
        "allreduce", n,
        [&] {
          sum(shared->input[0] + mine, shared->input[1] + mine, out + mine, counts[rank_]);
          meet();
          memcpy(out + rest, shared->data[1 - rank_] + rest, counts[1 - rank_] * 8);
        },
        [&] { team->run({Operation::allreduce, 0, c, in, out}, means); });
    if (n * 2 <= longest)
      compare(
          "alltoall", n,
          [&] {
            memcpy(out + rank_ * n, in + rank_ * n, n);
            memcpy(out + (1 - rank_) * n, other + rank_ * n, n);
          },
          [&] { team->run({Operation::alltoall, 0, c, in, out}, means); });
  }
  if (rank_ == 0) wait(nullptr);
  return 0;
}
