// Where the ranks of a launch run, and which two of them stand for each distance.
#pragma once

#include <vector>

#include "bench/job.hpp"
#include "network/network.hpp"

namespace leadline::bench {

// Numbers are unique across the job. A rank that may run on several sockets, or core complexes, shares none.
struct RankPlaces {
  std::vector<int> node, socket, core_complex;
  network::Places places() const { return {node.data(), socket.data(), core_complex.data()}; }
};

// Collective.
RankPlaces find_places(const Job& job);

struct RankPair {
  network::Distance distance;
  int one, other;
};

// The first two ranks of each distance that occurs.
std::vector<RankPair> pairs_to_measure(const RankPlaces& of);

// Distinct pairs of that kind which can send at the same time: within the first node that has four ranks, or from the
// first node to the second.
std::vector<RankPair> pairs_at_once(const RankPlaces& of, bool between_nodes);

}  // namespace leadline::bench
