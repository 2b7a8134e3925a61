// All messages to and from the neighbours are under way together.
#include "collectives/neighbours.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::neighbor_allgather {

bool linear(const Problem& problem, Schedule* schedule) { return with_neighbours_at_once(problem, schedule); }

}  // namespace leadline::collectives::neighbor_allgather
