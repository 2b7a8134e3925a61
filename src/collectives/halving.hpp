// Recursive halving, the first half of Rabenseifner's algorithms: pairs, then pairs of pairs, ... exchange halves of
// their data and reduce one each, so that each ends up with one part of the result. Because the distance doubles (and
// does not halve), runs of ranks are reduced, and their order is kept.
#pragma once

#include <vector>

#include "collectives/reduction.hpp"

namespace leadline::collectives {

struct HalvingLevel {
  int peer;
  bool peer_is_towards_root;
  Range kept, sent;
};

// Those folded into another rank have no levels.
std::vector<HalvingLevel> halve(const Problem& problem, const Folding& folding, Partial* partial);

}  // namespace leadline::collectives
