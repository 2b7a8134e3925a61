// Two processes on cores 0 and 1: what an operation of 8 bytes through memory costs, beside what the hardware takes for
// it: to exchange a cache line. Operations follow one another.
//
//   exchange   each process writes its own line and waits for the other's: nothing that all ranks need is faster
//   one way    half of a round trip, in which each waits for the other before it writes
//   …          operations of src/collectives/node
//
//     g++ -O2 -std=c++20 -Isrc -Ibuild/dev/generated benchmarks/node/flags.cpp src/collectives/node/*.cpp
#include <sched.h>
#include <stdio.h>
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

struct alignas(128) Line {
  std::atomic<uint64_t> turn;
  double value;
};

struct Shared {
  Line meeting[2], line[2];
  alignas(128) char offers[2][64];
};

Shared* shared;
int rank_;
uint64_t meetings = 0, turns = 0;

void signal(Line* line, uint64_t turn) { line->turn.store(turn, std::memory_order_release); }
void await(const Line& line, uint64_t turn) {
  while (line.turn.load(std::memory_order_acquire) < turn) {
  }
}

void meet() {
  signal(&shared->meeting[rank_], ++meetings);
  await(shared->meeting[1 - rank_], meetings);
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

double now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// ns of one of many in a row: the least and the middle of some rows.
template <class F>
void measure(const char* what, double parts, F f) {
  constexpr int rows = 101, in_row = 2000;
  static double took[rows];
  for (double& row : took) {
    meet();
    const double begin = now_ns();
    for (int i = 0; i < in_row; ++i) f();
    row = (now_ns() - begin) / in_row / parts;
  }
  std::sort(took, took + rows);
  if (rank_ == 0) printf("%-12s least %7.1f ns  median %7.1f ns\n", what, took[0], took[rows / 2]);
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
  meet();
  auto team = node::Team::make(rank_, 2, nullptr, {nullptr, gather, agree});
  if (!team) return 1;
  const node::Means means{.state = nullptr,
                          .reduce = nullptr,
                          .copy = copy,
                          .progress = [](void*) {},
                          .combine = node::find_combine("MPI_SUM", "MPI_DOUBLE", 8),
                          .extent = 8};
  double in[2] = {1, 1}, out[2] = {};
  char *from = reinterpret_cast<char*>(in), *to = reinterpret_cast<char*>(out);
  Line &own = shared->line[rank_], &other = shared->line[1 - rank_];
  measure("exchange", 1, [&] {
    own.value = in[0];
    signal(&own, ++turns);
    await(other, turns);
    out[0] = in[0] + other.value;
  });
  turns += 1;
  meet();
  measure("one way", 2, [&] {
    ++turns;
    if (rank_ == 0) signal(&own, turns);
    await(other, turns);
    if (rank_ == 1) signal(&own, turns);
  });
  measure("allreduce", 1, [&] { team->run({Operation::allreduce, 0, 1, from, to}, means); });
  measure("barrier", 1, [&] { team->run({Operation::barrier, 0, 0, nullptr, nullptr}, means); });
  // The root alone needs the other; it waits when it is eight calls ahead.
  measure("broadcast", 1, [&] { team->run({Operation::broadcast, 0, 1, from, from}, means); });
  measure("reduce", 1, [&] { team->run({Operation::reduce, 0, 1, from, rank_ == 0 ? to : nullptr}, means); });
  // With the roots taking turns, each waits for the other.
  measure("broadcast ⇄", 2, [&] {
    for (const int root : {0, 1}) team->run({Operation::broadcast, root, 1, from, from}, means);
  });
  if (rank_ == 0) wait(nullptr);
  return 0;
}
