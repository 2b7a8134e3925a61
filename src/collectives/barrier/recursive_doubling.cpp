// Pairs, then pairs of pairs, ... signal to each other.
#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::barrier {

bool recursive_doubling(const Problem& problem, Schedule* schedule) {
  meet_by_recursive_doubling(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::barrier
