// Halves of reductions that cut the data into blocks: each rank gets one block of the result (reduce-scatter), and the
// blocks get to the root or to all.
#pragma once

#include "collectives/blocks.hpp"

namespace leadline::collectives {

// Block `rank` of `problem.processes`, in the space that has the rank's result, or in scratch.
Range own_block(const Problem& problem, Schedule* schedule);

// Each block goes round the ring once and is reduced on the way, in segments that follow one another: while one is
// reduced the next is received. It ends at `result` of the rank of the same number. Needs a commutative operation.
void ring_reduce_scatter(const Problem& problem, int64_t segment_bytes, Range result, Schedule* schedule);
// Every rank sends each block to the rank of the same number, which reduces what it got in the order of ranks.
void direct_reduce_scatter(const Problem& problem, Range result, Schedule* schedule);

// The same in p - 1 rounds, which are waited for: a block is reduced when it comes. Needs a commutative operation.
void pairwise_reduce_scatter(const Problem& problem, Range result, Schedule* schedule);

// Every rank has its block of `data`; then all have all.
void ring_allgather(const Problem& problem, Schedule* schedule);
void direct_allgather(const Problem& problem, Schedule* schedule);
// The root gets all; `own` is the rank's.
void gather_blocks(const Problem& problem, Range own, Schedule* schedule);

}  // namespace leadline::collectives
