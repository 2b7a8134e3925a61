// Bruck's algorithm: in each round the run of blocks that a rank has becomes radix times as long.
#include "collectives/allgathers.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgatherv {

bool bruck(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  allgather_by_bruck(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allgatherv
