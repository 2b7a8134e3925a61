// Ways in which every rank hears that all others have come. Messages are signals: they have no data.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// In each round a rank signals to radix - 1 others, at multiples of the radix' power: after it a rank has heard of
// radix times as many. False: the radix is below 2.
bool meet_by_dissemination(const Problem& problem, Schedule* schedule);
// Ranks whose numbers differ in one bit signal to each other; those beyond the last power of two by way of others.
void meet_by_recursive_doubling(const Problem& problem, Schedule* schedule);

// Up a k-nomial tree (Problem::radix) to the root, which then knows that all have come; and down, from it to all.
void signal_up_tree(const Problem& problem, Schedule* schedule);
void signal_down_tree(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
