#include "bench/places.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

namespace leadline::bench {

namespace {

constexpr int most_cpus_of_host = CPU_SETSIZE;

// The unit that a file about a CPU names by its first number; -1: it says nothing.
int unit_of(int cpu, const std::string& file) {
  std::ifstream text("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file);
  int number = -1;
  return text >> number ? number : -1;
}

// That of all CPUs that this rank may run on; -1: they are in several, or it is unknown.
int common_unit(const std::string& file) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return -1;
  std::set<int> units;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) units.insert(unit_of(cpu, file));
  return units.size() == 1 ? *units.begin() : -1;
}

std::vector<int> of_all(const Job& job, int unit) {
  const int number = unit < 0 ? -1 - job.rank : job.host_of[job.rank] * most_cpus_of_host + unit;
  std::vector<int> all(job.size);
  MPI_Allgather(&number, 1, MPI_INT, all.data(), 1, MPI_INT, job.comm);
  return all;
}

}  // namespace

// Source: Linux, Documentation/ABI/stable/sysfs-devices-system-cpu. The third cache is what a core complex shares.
RankPlaces find_places(const Job& job) {
  return {job.host_of, of_all(job, common_unit("topology/physical_package_id")),
          of_all(job, common_unit("cache/index3/shared_cpu_list"))};
}

std::vector<RankPair> pairs_to_measure(const RankPlaces& of) {
  std::vector<RankPair> found;
  const int ranks = int(of.node.size());
  for (int one = 0; one < ranks; ++one) {
    for (int other = one + 1; other < ranks && found.size() < network::distance_count; ++other) {
      const network::Distance distance = of.places().between(one, other);
      const auto same = [&](const RankPair& pair) { return pair.distance == distance; };
      if (std::none_of(found.begin(), found.end(), same)) found.push_back({distance, one, other});
    }
  }
  return found;
}

std::vector<RankPair> pairs_at_once(const RankPlaces& of, bool between_nodes) {
  std::vector<std::vector<int>> ranks_of;
  for (int rank = 0; rank < int(of.node.size()); ++rank) {
    ranks_of.resize(std::max<std::size_t>(ranks_of.size(), std::size_t(of.node[rank]) + 1));
    ranks_of[of.node[rank]].push_back(rank);
  }
  std::vector<RankPair> found;
  if (between_nodes) {
    if (ranks_of.size() < 2) return {};
    for (std::size_t i = 0; i < std::min(ranks_of[0].size(), ranks_of[1].size()); ++i)
      found.push_back({network::Distance::other_node, ranks_of[0][i], ranks_of[1][i]});
  } else {
    for (const std::vector<int>& ranks : ranks_of) {
      if (ranks.size() < 4) continue;
      for (std::size_t i = 0; i + 1 < ranks.size(); i += 2)
        found.push_back({network::Distance::node, ranks[i], ranks[i + 1]});
      break;
    }
  }
  return found.size() < 2 ? std::vector<RankPair>{} : found;
}

}  // namespace leadline::bench
