// The measuring program of leadline bench. It reads a plan, measures, and writes the results, one item a line.
//
//   mpiexec ... leadline_bench PLAN RESULTS
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "bench/calibration.hpp"
#include "bench/machine.hpp"
#include "bench/plan.hpp"
#include "bench/rounds.hpp"

namespace leadline::bench {

namespace {

std::FILE* results;

void write_noise(const Job& job) {
  const std::vector<Noise> noise = measure_noise(job);
  for (std::size_t rank = 0; rank < noise.size(); ++rank)
    std::fprintf(results, "noise %zu %.3f %.3f %.3f %.6f %.3f\n", rank, noise[rank].median_us, noise[rank].p99_us,
                 noise[rank].longest_us, noise[rank].lost, noise[rank].interrupted);
}

void write_job(const Job& job) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (job.rank != 0) return;
  version[std::strcspn(version, "\n\r")] = 0;
  for (char* tab = version; (tab = std::strchr(tab, '\t'));) *tab = ' ';
  std::fprintf(results, "leadline-bench 1\nlibrary %s\n", version);
  std::fprintf(results, "job %d %d %d %d %d %" PRId64 " %" PRId64 "\n", job.size, job.hosts, job.ranks_on_host,
               job.cores_on_host, job.oversubscribed, job.clock_error_ns, job.most_offset_ns);
}

void write_network(const Job& job) {
  const network::Measured measured = measure_network(job);
  if (job.rank != 0) return;
  for (const network::Cost& cost : measured.messages)
    std::fprintf(results, "message %" PRId64 " %" PRId64 "\n", cost.bytes, cost.ns);
  for (const network::Cost& cost : measured.reductions)
    std::fprintf(results, "reduction %" PRId64 " %" PRId64 "\n", cost.bytes, cost.ns);
}

// Progress, so that the caller can say what hangs.
void announce(int point, int candidate) {
  std::fprintf(results, "begin %d %d\n", point, candidate);
  std::fflush(results);
}

void write_samples(int point, int candidate, const Samples& samples) {
  if (!samples.problem.empty()) {
    std::fprintf(results, "unusable %d %d %s\n", point, candidate, samples.problem.c_str());
    return;
  }
  std::fprintf(results, "began %d %d", point, candidate);
  for (const int64_t ns : samples.soonest_ns) std::fprintf(results, " %.3f", double(ns) * 1e-3);
  std::fprintf(results, "\nsamples %d %d %s %d %d %" PRId64, point, candidate, samples.correct ? "correct" : "wrong",
               samples.repeat, samples.late, samples.tolerance_ns);
  for (const double ns : samples.ns) std::fprintf(results, ns < 0 ? " late" : " %.1f", ns);
  std::fprintf(results, "\n");
  std::fflush(results);
}

void measure(const Plan& plan) {
  Job job(plan.measured_clocks);
  write_job(job);
  write_noise(job);
  if (plan.network) write_network(job);
  if (plan.calibrate_s > 0) {
    for (const std::string& line : calibrate(job, plan.calibrate_s)) std::fprintf(results, "%s\n", line.c_str());
  }
  const auto compare_clocks = [&] {
    if (job.hosts > 1 || plan.measured_clocks) job.compare_clocks();
  };
  measure_points(job, plan, compare_clocks, announce, write_samples);
  write_noise(job);
  if (job.rank == 0) std::fprintf(results, "end\n");
  MPI_Comm_free(&job.comm);
}

int run(int argc, char** argv) {
  Plan plan;
  std::string problem = "usage: leadline_bench PLAN RESULTS (leadline bench runs it)";
  if (argc != 3 || !read_plan(argv[1], &plan, &problem)) {
    std::fprintf(stderr, "leadline_bench: %s\n", problem.c_str());
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    results = std::fopen(argv[2], "w");
    if (!results) {
      std::perror(argv[2]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  measure(plan);
  if (results) std::fclose(results);
  MPI_Finalize();
  return 0;
}

}  // namespace

}  // namespace leadline::bench

int main(int argc, char** argv) { return leadline::bench::run(argc, argv); }
