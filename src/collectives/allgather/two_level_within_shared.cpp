// The ranks of a node work through memory that they share; their leaders send messages.
#include "collectives/shared_levels.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgather {

bool two_level_within_shared(const Problem& problem, Schedule* schedule) {
  return shared_allgather(problem, allgatherv::linear, schedule);
}

}  // namespace leadline::collectives::allgather
