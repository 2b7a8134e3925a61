#include "bench/memory.hpp"

#include <algorithm>
#include <cstring>

#include "bench/team.hpp"

namespace leadline::bench {

namespace {

constexpr int64_t in_cache = 32 * 1024, beyond_caches = 64 << 20;
constexpr int64_t stride_doubles = 128;                               // a column of rows of 1 KiB
constexpr int64_t strided_in_cache = 2048, strided_beyond = 1 << 19;  // bytes that are packed, of 128 times as many
constexpr int fewest_turns = 5;
constexpr int flags_in_turn = 500;
constexpr const char* flag = "flag";

// Of one flag of two that two ranks of the node set in turn, each when it sees the other's. The node's other ranks
// watch.
double flag_ns(const Job& job, collectives::node::Team* team) {
  collectives::node::Means means{};
  means.state = const_cast<Job*>(&job);
  means.progress = [](void* of) { go_on(static_cast<const Job*>(of)->comm); };
  means.extent = 1;
  const int64_t begin = local_ns();
  for (int i = 0; i < flags_in_turn; ++i)
    for (const int root : {0, 1})
      team->run({collectives::Operation::broadcast, std::min(root, team->size() - 1), 0, nullptr, nullptr}, means);
  return double(local_ns() - begin) / (2 * flags_in_turn);
}

class Memory {
 public:
  Memory() : from_(beyond_caches / 8, 1.0), to_(beyond_caches / 8, 1.0) {}

  void copy(int64_t bytes) { std::memcpy(to_.data(), from_.data(), std::size_t(bytes)); }
  void gather(int64_t bytes) {
    const double* from = from_.data();
    double* to = to_.data();
    for (int64_t i = 0; i < bytes / 8; ++i) to[i] = from[i * stride_doubles];
  }
  void reduce(int64_t bytes) {
    MPI_Reduce_local(from_.data(), to_.data(), int(bytes / 8), MPI_DOUBLE, MPI_SUM);
    to_[0] = 1;
  }
  double pass_ns(const MemoryCost& cost) {
    // Of what is in the cache, as many passes as a clock can tell from nothing.
    const int passes = cost.bytes <= in_cache ? 32 : 1;
    // What was measured before has emptied the caches.
    if (!std::strcmp(cost.kind, "copy") && cost.bytes > in_cache && cost.bytes < beyond_caches) pass(cost);
    const int64_t begin = local_ns();
    for (int i = 0; i < passes; ++i) pass(cost);
    return double(local_ns() - begin) / passes;
  }
  void pass(const MemoryCost& cost) {
    if (!std::strcmp(cost.kind, "copy"))
      copy(cost.bytes);
    else if (!std::strcmp(cost.kind, "strided"))
      gather(cost.bytes);
    else
      reduce(cost.bytes);
    asm volatile("" ::: "memory");  // each pass is done
  }

 private:
  std::vector<double> from_, to_;
};

}  // namespace

std::vector<MemoryCost> measure_memory(const Job& job, double seconds) {
  std::vector<MemoryCost> costs = {{"copy", in_cache, {}},
                                   {"copy", 2 << 20, {}},
                                   {"copy", 8 << 20, {}},
                                   {"copy", beyond_caches, {}},
                                   {"strided", strided_in_cache, {}},
                                   {"strided", strided_beyond, {}},
                                   {"reduction", in_cache, {}},
                                   {"reduction", beyond_caches, {}}};
  collectives::node::Team* const team = team_of(job, job.host_of);
  if (team) costs.push_back({flag, 1, {}});
  Memory memory;
  const int64_t end = local_ns() + int64_t(seconds * 1e9);
  int more = 1;
  for (int turn = 0; more; ++turn) {
    for (MemoryCost& cost : costs) {
      patient_barrier(job.comm);
      const double mine = cost.kind == flag ? flag_ns(job, team) : memory.pass_ns(cost);
      double slowest = 0;
      MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, job.comm);
      if (turn && job.rank == 0) cost.ns.push_back(slowest);  // the first one finds pages and caches cold
    }
    more = turn < fewest_turns || (turn < 200 && local_ns() < end);
    MPI_Bcast(&more, 1, MPI_INT, 0, job.comm);
  }
  return costs;
}

}  // namespace leadline::bench
