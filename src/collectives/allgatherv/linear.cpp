// Every rank sends its block to every other, all at once.
#include "collectives/allgathers.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgatherv {

bool linear(const Problem& problem, Schedule* schedule) {
  allgather_at_once(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allgatherv
