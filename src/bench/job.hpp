// The ranks of this launch: how many share which cores, one time for all, and waiting that leaves the core to others.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace leadline::bench {

// Nanoseconds of CLOCK_MONOTONIC, the same clock for all processes of a host.
int64_t local_ns();

// Waits for a request and leaves the core to the rank that is to complete it.
void wait_patiently(MPI_Request* request);
void patient_barrier(MPI_Comm comm);

class Job {
 public:
  explicit Job(bool measured_clocks);

  MPI_Comm comm;
  int rank = 0, size = 1;
  int hosts = 1;
  int ranks_on_host = 1, cores_on_host = 1;  // of the fullest host
  bool oversubscribed = false;               // some host has more ranks than cores
  int64_t clock_error_ns = 0;                // of the worst rank: half the shortest round trip
  int64_t clock_offset_ns = 0;               // rank 0's clock minus this rank's
  int64_t most_offset_ns = 0;                // of the rank whose clock is the furthest off
  std::vector<int> host_of;                  // by rank

  // In rank 0's time.
  int64_t now_ns() const { return local_ns() + clock_offset_ns; }
  // Returns when it is `instant`, or at once where that is past. Ranks that share a core sleep.
  void wait_until(int64_t instant) const;
  // Repeats the comparison, since clocks drift apart. Collective.
  void compare_clocks();

 private:
  void count_cores();
  void compare_with(int other);
  bool measured_clocks_;
};

}  // namespace leadline::bench
