// Neighbours exchange what they received last, two blocks as a message each, alternately to the left and to the right.
#include "collectives/allgathers.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgatherv {

bool neighbour_exchange(const Problem& problem, Schedule* schedule) {
  allgather_by_neighbours(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allgatherv
