// Ways in which every rank's block gets to all. Blocks may have their own lengths and places.
#pragma once

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Every rank sends its block to every other, all at once.
void allgather_at_once(const Problem& problem, Schedule* schedule);
// Blocks go round the ring, one after the other.
void allgather_in_ring(const Problem& problem, Schedule* schedule);
// Neighbours exchange what they received last, two blocks, alternately to the left and to the right; an odd number of
// ranks is a ring.
void allgather_by_neighbours(const Problem& problem, Schedule* schedule);
// In rounds, to radix - 1 ranks each, so that all have radix times as many; what a rank has is a run of blocks in
// scratch that begins with its own.
void allgather_by_bruck(const Problem& problem, Schedule* schedule);
// From far to near, half as far each time, every block as a message of its own.
void allgather_by_sparbit(const Problem& problem, Schedule* schedule);

}  // namespace leadline::collectives
