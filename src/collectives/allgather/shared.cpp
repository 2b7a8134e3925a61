// The ranks of a node through memory that they share.
#include "collectives/memory.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgather {

bool shared(const Problem& problem, Schedule* schedule) { return through_memory(problem, schedule); }

}  // namespace leadline::collectives::allgather
