// Every rank passes on what it received last to the next one.
#include "collectives/allgathers.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgatherv {

bool ring(const Problem& problem, Schedule* schedule) {
  allgather_in_ring(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allgatherv
