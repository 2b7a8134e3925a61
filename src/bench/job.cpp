#include "bench/job.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace leadline::bench {

namespace {

constexpr int tag_clock = 17;
constexpr int round_trips = 200;

}  // namespace

int64_t local_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void wait_patiently(MPI_Request* request) {
  int done = 0;
  for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) sched_yield();
}

void patient_barrier(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait_patiently(&request);
}

Job::Job(bool measured_clocks) : measured_clocks_(measured_clocks) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  count_cores();
  compare_clocks();
}

void Job::count_cores() {
  MPI_Comm host;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank_on_host = 0, here = 1;
  MPI_Comm_rank(host, &rank_on_host);
  MPI_Comm_size(host, &here);
  // The cores that the ranks may use together, because a library may have bound each rank to its own core.
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  MPI_Allreduce(&mine, &all, int(sizeof mine), MPI_BYTE, MPI_BOR, host);
  const int cores = std::max(CPU_COUNT(&all), 1);
  int figures[2] = {here > cores, here}, most[2];
  MPI_Allreduce(figures, most, 2, MPI_INT, MPI_MAX, comm);
  oversubscribed = most[0] != 0;
  ranks_on_host = most[1];
  const int fewest = here == ranks_on_host ? cores : INT_MAX;
  MPI_Allreduce(&fewest, &cores_on_host, 1, MPI_INT, MPI_MIN, comm);

  int leader = rank;
  MPI_Bcast(&leader, 1, MPI_INT, 0, host);
  std::vector<int> leaders(size);
  MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm);
  std::vector<int> distinct = leaders;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  hosts = int(distinct.size());
  for (int of : leaders)
    host_of.push_back(int(std::lower_bound(distinct.begin(), distinct.end(), of) - distinct.begin()));
  MPI_Comm_free(&host);
}

void Job::compare_clocks() {
  clock_offset_ns = 0;
  int64_t error = 0;
  for (int other = 1; other < size; ++other) {
    if (!measured_clocks_ && host_of[other] == host_of[0]) continue;
    if (rank == 0 || rank == other) {
      compare_with(other);
      error = std::max(error, clock_error_ns);
    }
    patient_barrier(comm);
  }
  MPI_Allreduce(&error, &clock_error_ns, 1, MPI_INT64_T, MPI_MAX, comm);
  const int64_t off = std::abs(clock_offset_ns);
  MPI_Allreduce(&off, &most_offset_ns, 1, MPI_INT64_T, MPI_MAX, comm);
}

// The shortest round trip gives the best estimate of the other's clock, which is read in its middle.
void Job::compare_with(int other) {
  int64_t shortest = INT64_MAX;
  for (int i = 0; i < round_trips; ++i) {
    if (rank == 0) {
      int64_t asked = 0;
      MPI_Recv(&asked, 1, MPI_INT64_T, other, tag_clock, comm, MPI_STATUS_IGNORE);
      const int64_t now = local_ns();
      MPI_Send(&now, 1, MPI_INT64_T, other, tag_clock, comm);
    } else {
      const int64_t sent = local_ns();
      int64_t theirs = 0;
      MPI_Send(&sent, 1, MPI_INT64_T, 0, tag_clock, comm);
      MPI_Recv(&theirs, 1, MPI_INT64_T, 0, tag_clock, comm, MPI_STATUS_IGNORE);
      const int64_t back = local_ns();
      if (back - sent >= shortest) continue;
      shortest = back - sent;
      clock_offset_ns = theirs - (sent + shortest / 2);
      clock_error_ns = shortest / 2 + 1;
    }
  }
  if (rank == 0) clock_error_ns = 0;
}

void Job::wait_until(int64_t instant) const {
  const int64_t local = instant - clock_offset_ns;
  if (oversubscribed) {
    const timespec until{local / 1'000'000'000, local % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  while (local_ns() < local) {
  }
}

}  // namespace leadline::bench
