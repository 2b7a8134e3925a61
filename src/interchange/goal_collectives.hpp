// The messages of a collective as one rank sees them, for formats that have no collectives.
//
// Barrier, allreduce, allgather, scan: dissemination, in which each rank sends to the rank 2^k above. Broadcast,
// scatter; reduce, gather: a binomial tree from or to the root. All-to-all: every rank sends to each other one.
#pragma once

#include <cstdint>
#include <vector>

#include "interchange/actions.hpp"

namespace leadline::interchange {

// In each round what is sent and received together. -1: nobody.
struct GoalRound {
  int32_t to = -1, from = -1;
  int64_t bytes = 0, in_bytes = 0;
};

std::vector<GoalRound> rounds_of(const Action& collective, int32_t rank, int32_t ranks);

}  // namespace leadline::interchange
