// Up a tree to rank 0, and down to all. With a radix as large as the number of ranks, all signal to rank 0.
#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::barrier {

bool knomial(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  signal_up_tree(problem, schedule);
  signal_down_tree(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::barrier
