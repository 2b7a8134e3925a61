#include "bench/waiting_check.hpp"

#include <algorithm>

namespace leadline::bench {

namespace {

constexpr int most_late_ranks = 8;
constexpr int64_t late_ns = 1'000'000;

// Of all ranks: the last to come, and the first to leave. Clocks of other hosts are known within an error.
bool waits_for(const Job& job, int late, Candidate* candidate) {
  patient_barrier(job.comm);
  if (job.rank == late) job.wait_until(job.now_ns() + late_ns);
  const int64_t came = job.now_ns();
  candidate->run();
  int64_t mine[2] = {came, -job.now_ns()}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, job.comm);
  const int64_t last_came = all[0], first_left = -all[1];
  return first_left + (job.hosts > 1 ? 2 * job.clock_error_ns : 0) >= last_came;
}

}  // namespace

bool all_wait_for_the_last(const Job& job, Candidate* candidate) {
  const int number = std::min(job.size, most_late_ranks);
  bool all_wait = true;
  for (int i = 0; i < number && all_wait; ++i)
    all_wait = waits_for(job, int(int64_t{i} * job.size / number), candidate);
  return all_wait;
}

}  // namespace leadline::bench
