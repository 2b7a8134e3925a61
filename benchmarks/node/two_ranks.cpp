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

// The shortest and the middle of many, of the later process; ns. Both have just written their buffers.
template <class F>
void measure(const char* what, int64_t bytes, F f) {
  constexpr int rounds = 401;
  static int64_t took[rounds];
  for (int i = 0; i < rounds; ++i) {
    for (int64_t k = 0; k < bytes; k += 64) shared->input[rank_][k]++;
    for (int64_t k = 0; k < bytes; k += 64) (void)*const_cast<volatile char*>(&shared->data[rank_][k]);
    meet();
    meet();
    const int64_t begin = now();
    f();
    shared->took[rank_].store(now() - begin);
    meet();
    took[i] = std::max(shared->took[0].load(), shared->took[1].load());
  }
  std::sort(took, took + rounds);
  if (rank_ == 0)
    printf("%-28s %8lld B  least %9.3f us  median %9.3f us\n", what, static_cast<long long>(bytes),
           static_cast<double>(took[0]) / 1e3, static_cast<double>(took[rounds / 2]) / 1e3);
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
  for (int64_t n : {8, 1024, 65536, 1 << 20}) {
    const int64_t c = n / 8, half = c / 2;
    measure("copy from the other", n, [&] { memcpy(out, other, n); });
    measure("bound: broadcast", n, [&] {
      if (rank_ == 1) memcpy(out, other, n);
    });
    measure("broadcast", n, [&] { team->run({Operation::broadcast, 0, c, in, in}, means); });
    measure("bound: reduce", n, [&] {
      if (rank_ == 0) sum(in, other, out, c);
    });
    measure("reduce", n, [&] { team->run({Operation::reduce, 0, c, in, rank_ == 0 ? out : nullptr}, means); });
    measure("bound: allreduce", n, [&] {
      const int64_t at = rank_ * half * 8;
      sum(shared->input[0] + at, shared->input[1] + at, out + at, half);
      meet();
      const int64_t rest = (1 - rank_) * half * 8;
      memcpy(out + rest, shared->data[1 - rank_] + rest, half * 8);
    });
    measure("allreduce", n, [&] { team->run({Operation::allreduce, 0, c, in, out}, means); });
    measure("alltoall", n, [&] { team->run({Operation::alltoall, 0, c, in, out}, means); });
    measure("barrier", n, [&] { team->run({Operation::barrier, 0, 0, nullptr, nullptr}, means); });
  }
  if (rank_ == 0) wait(nullptr);
  return 0;
}
