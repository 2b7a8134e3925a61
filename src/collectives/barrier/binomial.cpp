// Up a binomial tree to rank 0, and down to all.
#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::barrier {

bool binomial(const Problem& problem, Schedule* schedule) {
  Problem binary = problem;
  binary.radix = 2;
  return knomial(binary, schedule);
}

}  // namespace leadline::collectives::barrier
