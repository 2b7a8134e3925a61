// Schedules among the neighbours of tori, grids and graphs: what each neighbour sends arrives in its block, also where
// neighbours are the same rank, the rank itself, or nobody; and the figures are those of docs/tune/collectives.md.
#include <algorithm>
#include <cstdio>

#include "../native/check.hpp"
#include "collectives/cost.hpp"
#include "machine.hpp"

namespace {

using namespace leadline::test;
using leadline::network::Network;

Machine machine;

// Of a rank. block_of_source: where what comes from each is to be.
struct Around {
  std::vector<int> targets, sources;
  std::vector<int64_t> block_of_source;
};

// Blocks of a rank, as a schedule has them: counts and places by target and source.
struct Blocks {
  std::vector<int64_t> sent, sent_places, received, received_places;
};

struct Topology {
  std::string name;
  std::vector<Around> ranks;
};

// down, then up in each dimension; what goes down comes from above.
Topology grid(const std::vector<int>& sides, bool periodic) {
  Topology found{periodic ? "torus" : "grid", {}};
  int p = 1;
  for (const int side : sides) {
    found.name += ' ' + std::to_string(side);
    p *= side;
  }
  for (int rank = 0; rank < p; ++rank) {
    Around around;
    int stride = p, dimension = 0;
    for (const int side : sides) {
      stride /= side;
      const int at = rank / stride % side;
      const auto beside = [&](int step) {
        if (!periodic && (at + step < 0 || at + step >= side)) return -1;
        return rank + ((at + step + side) % side - at) * stride;
      };
      around.targets.insert(around.targets.end(), {beside(-1), beside(1)});
      around.sources.insert(around.sources.end(), {beside(1), beside(-1)});
      around.block_of_source.insert(around.block_of_source.end(), {2 * dimension + 1, 2 * dimension});
      ++dimension;
    }
    found.ranks.push_back(around);
  }
  return found;
}

// Every rank sends to some of those after it, to itself, and to one twice.
Topology graph(int p) {
  Topology found{"graph of " + std::to_string(p), std::vector<Around>(static_cast<size_t>(p))};
  for (int rank = 0; rank < p; ++rank)
    for (const int step : {1, 0, 3, 1, 0})
      if (rank % 4 != step) {
        Around& target = found.ranks[static_cast<size_t>((rank + step) % p)];
        found.ranks[static_cast<size_t>(rank)].targets.push_back((rank + step) % p);
        target.block_of_source.push_back(static_cast<int64_t>(target.sources.size()));
        target.sources.push_back(rank);
      }
  return found;
}

// The place among the rank's targets of the n-th message to the other.
int target_of(const Around& around, int other, int n) {
  for (size_t i = 0; i < around.targets.size(); ++i)
    if (around.targets[i] == other && n-- == 0) return static_cast<int>(i);
  return -1;
}

// Elements of a block: of one message between the two, some of them none.
int64_t length(int from, int to, int target, bool even) { return even ? 2 : (from + 2 * to + target) % 3; }

std::vector<Blocks> blocks_of(const Topology& topology, bool for_each, bool even) {
  std::vector<Blocks> all;
  for (int rank = 0; rank < static_cast<int>(topology.ranks.size()); ++rank) {
    const Around& around = topology.ranks[static_cast<size_t>(rank)];
    Blocks b;
    int64_t end = 0;
    for (size_t i = 0; i < around.targets.size(); ++i) {
      const int other = around.targets[i];
      b.sent.push_back(other < 0 ? 0 : for_each ? length(rank, other, static_cast<int>(i), even) : 2);
      b.sent_places.push_back(for_each ? end : 0);
      end += b.sent.back();
    }
    for (size_t i = 0; i < around.sources.size(); ++i) {
      const int other = around.sources[i];
      const auto before =
          static_cast<int>(std::count(around.sources.begin(), around.sources.begin() + static_cast<long>(i), other));
      const int target = other < 0 ? -1 : target_of(topology.ranks[static_cast<size_t>(other)], rank, before);
      b.received.push_back(other < 0 ? 0 : for_each ? length(other, rank, target, even) : 2);
      b.received_places.push_back(3 * around.block_of_source[i]);
    }
    all.push_back(b);
  }
  return all;
}

Problem problem_of(const Algorithm& algorithm, const Topology& topology, const Blocks& b, int rank) {
  const Around& around = topology.ranks[static_cast<size_t>(rank)];
  Problem problem;
  problem.operation = algorithm.operation;
  problem.processes = static_cast<int>(topology.ranks.size());
  problem.rank = rank;
  problem.count = 1;
  problem.counts_contributed = b.sent.data();
  problem.places_contributed = b.sent_places.data();
  problem.counts_received = b.received.data();
  problem.places_received = b.received_places.data();
  problem.neighbours = {true, static_cast<int>(around.targets.size()), static_cast<int>(around.sources.size()),
                        around.targets.data(), around.sources.data()};
  return problem;
}

int64_t end_of_blocks(const std::vector<int64_t>& counts, const std::vector<int64_t>& places) {
  int64_t end = 0;
  for (size_t i = 0; i < counts.size(); ++i) end = std::max(end, counts[i] + places[i]);
  return end;
}

std::string compared(const Topology& topology, const std::vector<Blocks>& blocks) {
  for (int rank = 0; rank < static_cast<int>(topology.ranks.size()); ++rank) {
    const Around& around = topology.ranks[static_cast<size_t>(rank)];
    const Blocks& b = blocks[static_cast<size_t>(rank)];
    for (size_t i = 0; i < around.sources.size(); ++i) {
      const int other = around.sources[i];
      if (other < 0) continue;
      const auto before =
          static_cast<int>(std::count(around.sources.begin(), around.sources.begin() + static_cast<long>(i), other));
      const int target = target_of(topology.ranks[static_cast<size_t>(other)], rank, before);
      const int64_t begin = blocks[static_cast<size_t>(other)].sent_places[static_cast<size_t>(target)];
      for (int64_t k = 0; k < b.received[i]; ++k)
        if (machine.data(rank, b.received_places[i] + k).sum != contribution(other, begin + k).sum)
          return "rank " + std::to_string(rank) + " has something else from rank " + std::to_string(other);
    }
  }
  return "";
}

void check(const Algorithm& algorithm, const Topology& topology, bool even) {
  const std::string name = std::string(name_of(algorithm.operation)) + " " + algorithm.name + ", " + topology.name;
  const auto blocks = blocks_of(topology, facts_of(algorithm.operation).contributed.block_per_rank, even);
  std::vector<Schedule> schedules(topology.ranks.size());
  std::vector<Machine::Sizes> sizes;
  for (size_t rank = 0; rank < schedules.size(); ++rank) {
    const Problem problem = problem_of(algorithm, topology, blocks[rank], static_cast<int>(rank));
    if (!algorithm.build(problem, &schedules[rank])) return testing::fail(name + " isn't built");
    sizes.push_back({end_of_blocks(blocks[rank].received, blocks[rank].received_places),
                     end_of_blocks(blocks[rank].sent, blocks[rank].sent_places)});
  }
  const Problem problem = problem_of(algorithm, topology, blocks[0], 0);
  for (const bool rendezvous : {true, false}) {
    std::string error = machine.run(schedules, problem, {rendezvous, false}, {}, sizes);
    if (error.empty()) error = compared(topology, blocks);
    if (!error.empty()) testing::fail(name + (rendezvous ? ", rendezvous: " : ", eager: ") + error);
  }
}

// Of a torus of sides longer than 2: 2 d rounds, 2 d p messages.
void check_figures(const Algorithm& algorithm, const std::vector<int>& sides) {
  const Topology topology = grid(sides, true);
  const auto blocks = blocks_of(topology, facts_of(algorithm.operation).contributed.block_per_rank, true);
  std::vector<Schedule> schedules(topology.ranks.size());
  double messages = 0;
  for (size_t rank = 0; rank < schedules.size(); ++rank) {
    algorithm.build(problem_of(algorithm, topology, blocks[rank], static_cast<int>(rank)), &schedules[rank]);
    for (const Step& step : schedules[rank].steps) messages += step.kind == Step::Kind::send;
  }
  const double d = static_cast<double>(sides.size()), p = static_cast<double>(schedules.size());
  testing::check_equal(messages, 2 * d * p, topology.name + ": messages");
  testing::check_equal(modelled_ns(schedules, 1, Network::uniform({.gap_ns = 1}, 0)), 2 * d,
                       topology.name + " " + algorithm.name + ": rounds");
}

}  // namespace

int main() {
  std::vector<Topology> topologies;
  for (const bool periodic : {true, false})
    for (const auto& sides : std::vector<std::vector<int>>{
             {1}, {2}, {3}, {7}, {16}, {1, 1}, {2, 1}, {2, 2}, {2, 3}, {4, 4}, {5, 1, 2}, {3, 3, 3}, {2, 2, 2, 2}})
      topologies.push_back(grid(sides, periodic));
  for (const int p : {1, 2, 3, 4, 5, 8, 17}) topologies.push_back(graph(p));
  int algorithms_checked = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!facts_of(algorithm.operation).for_neighbours) continue;
    ++algorithms_checked;
    for (const Topology& topology : topologies)
      for (const bool even : {true, false}) check(algorithm, topology, even);
    check_figures(algorithm, {5});
    check_figures(algorithm, {4, 3});
    check_figures(algorithm, {3, 3, 5});
    Schedule nothing;  // of ranks whose neighbours are unknown
    testing::check_equal(algorithm.build(Problem{.operation = algorithm.operation}, &nothing), false, "no neighbours");
  }
  testing::check_equal(algorithms_checked, 5, "algorithms");
  return testing::result();
}
