// Reduce-scatter and allgather on a circulant graph: partners are at the distances p/2, p/4, ... 1, rounded up, for any
// number of ranks, and nothing goes twice. Source: Träff, "Optimal, non-pipelined reduce-scatter and allreduce
// algorithms", 2024.
#pragma once

#include "collectives/blocks.hpp"

namespace leadline::collectives {

// The rank's block of the sum goes to `result`. Needs a commutative operation.
void circulant_reduce_scatter(const Problem& problem, Range result, Schedule* schedule);
// Every rank has its block of `data`; then all have all.
void circulant_allgather(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
