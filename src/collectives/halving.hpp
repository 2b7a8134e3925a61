// Recursive halving, the first half of Rabenseifner's algorithms: pairs, then pairs of pairs, ... exchange halves of
// their data and reduce one each, so that each ends up with one part of the result. Because the distance doubles (and
// does not halve), runs of ranks are reduced, and their order is kept.
#pragma once

#include <vector>

#include "collectives/blocks.hpp"
#include "collectives/reduction.hpp"

namespace leadline::collectives {

struct HalvingLevel {
  int peer;
  bool peer_is_towards_root;
  Range kept, sent;
};

// Those folded into another rank have no levels.
std::vector<HalvingLevel> halve(const Problem& problem, const Folding& folding, Partial* partial);

// So that each rank ends up with the block of its number.
enum class HalvingOrder : uint8_t {
  of_blocks,  // the distance halves: blocks stay where they are; needs a commutative operation
  of_ranks,   // the distance doubles: blocks are first put in the order of their ranks' mirrored numbers
};
void halving_reduce_scatter(const Problem& problem, HalvingOrder order, Range result, Schedule* schedule);

}  // namespace leadline::collectives
