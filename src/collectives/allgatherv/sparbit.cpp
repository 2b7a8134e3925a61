// Blocks go half as far in each round, and lie where they belong from the start.
#include "collectives/allgathers.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgatherv {

bool sparbit(const Problem& problem, Schedule* schedule) {
  allgather_by_sparbit(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allgatherv
