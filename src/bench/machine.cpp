#include "bench/machine.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <functional>
#include <utility>

namespace leadline::bench {

namespace {

constexpr int placement_tag = 3;
constexpr int64_t noise_ns = 40'000'000;
constexpr int64_t sizes[] = {0, 8, 256, 4096, 65536, 262144, 1048576, 4194304};
constexpr int64_t network_ns = 20'000'000;  // for each size and burst
constexpr int64_t large = 65536;            // from which several messages on their way may be faster than one
constexpr int burst_of_large = 4;

uint64_t work(uint64_t x) {
  for (int i = 0; i < 4000; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

// The fastest of as many as time allows, at least 5: rank 0 decides when to stop.
int64_t fastest(const std::function<void()>& once) {
  int64_t best = INT64_MAX;
  const int64_t end = local_ns() + network_ns;
  for (int i = 0; i < 5 || (i < 400 && local_ns() < end); ++i) {
    const int64_t begin = local_ns();
    once();
    best = std::min(best, local_ns() - begin);
  }
  return best;
}

// `burst` messages from rank 0, each with its own part of the buffer, answered by an empty one. The data are not
// changed and are sent again: a broadcast's root may do so, too, and no bound may exceed its time then. Rank 1 answers
// until a message with another tag says that it is over.
int64_t one_way(const Job& job, std::vector<char>* buffer, int64_t bytes, int burst) {
  const int n = int(bytes);
  std::vector<MPI_Request> requests(burst);
  if (job.rank == 0) {
    const int64_t best = fastest([&] {
      for (int i = 0; i < burst; ++i)
        MPI_Isend(buffer->data() + i * bytes, n, MPI_BYTE, 1, placement_tag, job.comm, &requests[i]);
      MPI_Waitall(burst, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, placement_tag, job.comm, MPI_STATUS_IGNORE);
    });
    MPI_Send(nullptr, 0, MPI_BYTE, 1, placement_tag + 1, job.comm);
    return best;
  }
  while (true) {
    for (int i = 0; i < burst; ++i) {
      MPI_Status status;
      MPI_Recv(buffer->data() + i * bytes, n, MPI_BYTE, 0, MPI_ANY_TAG, job.comm, &status);
      if (status.MPI_TAG != placement_tag) return 0;
    }
    MPI_Send(nullptr, 0, MPI_BYTE, 0, placement_tag, job.comm);
  }
}

}  // namespace

std::vector<Noise> measure_noise(const Job& job) {
  std::vector<int64_t> pieces;
  volatile uint64_t x = 1;
  patient_barrier(job.comm);
  const int64_t begin = local_ns();
  int64_t now = begin;
  while (now < begin + noise_ns) {
    x = work(x);
    const int64_t after = local_ns();
    pieces.push_back(after - now);
    now = after;
  }
  std::sort(pieces.begin(), pieces.end());
  const std::size_t n = pieces.size();
  Noise noise;
  noise.median_us = double(pieces[n / 2]) * 1e-3;
  noise.p99_us = double(pieces[n - 1 - n / 100]) * 1e-3;
  noise.longest_us = double(pieces[n - 1]) * 1e-3;
  // The thousandth fastest: the very fastest may be an error of the clock.
  noise.lost = std::max(0.0, 1 - double(pieces[n / 1000]) * double(n) / double(now - begin));
  noise.interrupted = double(pieces.end() - std::upper_bound(pieces.begin(), pieces.end(), 2 * pieces[n / 2])) /
                      (double(now - begin) * 1e-9);
  std::vector<Noise> all(job.rank == 0 ? job.size : 0);
  MPI_Gather(&noise, 5, MPI_DOUBLE, all.data(), 5, MPI_DOUBLE, 0, job.comm);
  return all;
}

// Source: Linux, Documentation/scheduler/sched-stats.rst, "/proc/<pid>/schedstat".
Waiting::Waiting() : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) { more_ns(); }

Waiting::~Waiting() {
  if (file_ >= 0) close(file_);
}

int64_t Waiting::more_ns() {
  char text[96];
  const ssize_t n = file_ < 0 ? -1 : pread(file_, text, sizeof(text) - 1, 0);
  if (n <= 0) return 0;
  text[n] = 0;
  int64_t now = 0;
  if (std::sscanf(text, "%*u %" SCNd64, &now) != 1) return 0;
  return now - std::exchange(before_, now);
}

network::Measured measure_network(const Job& job) {
  network::Measured measured;
  int64_t empty = 0;  // message, one way
  for (const int64_t bytes : sizes) {
    std::vector<char> buffer(std::size_t(bytes * burst_of_large) + 1);
    if (job.size > 1 && job.rank < 2) {
      for (const int burst : {1, burst_of_large}) {
        if (burst > 1 && bytes < large) continue;
        const int64_t ns = one_way(job, &buffer, bytes, burst);
        if (bytes == 0) empty = ns / 2;
        if (job.rank == 0) measured.messages.push_back({bytes, std::max(ns - empty, ns / 2) / burst});
      }
    }
    patient_barrier(job.comm);
    if (job.rank == 0 && bytes >= 4096) {
      std::vector<double> from(bytes / 8, 1), to(bytes / 8, 1);
      measured.reductions.push_back(
          {bytes, fastest([&] { MPI_Reduce_local(from.data(), to.data(), int(bytes / 8), MPI_DOUBLE, MPI_SUM); })});
    }
    patient_barrier(job.comm);
  }
  return measured;
}

}  // namespace leadline::bench
