// Prefix reductions: rank r gets the contributions of ranks 0 to r (MPI_Scan), or to r - 1 (MPI_Exscan; rank 0 gets
// nothing), reduced in the order of ranks. Which of the two is the operation's.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Each rank passes on to the next, segment after segment, what it got from the one before with its own.
void prefix_along_chain(const Problem& problem, Schedule* schedule);
// Ranks whose numbers differ in one bit exchange the sums of their groups; higher ones add it to their results.
void prefix_by_recursive_doubling(const Problem& problem, Schedule* schedule);
// To the ranks 1, 2, 4, ... farther up: after each round a result covers twice as many ranks.
void prefix_by_doubling(const Problem& problem, Schedule* schedule);
// Inclusive: up a binomial tree, whose nodes add up runs of ranks, and down again with the sums of all before them.
void prefix_by_tree(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
