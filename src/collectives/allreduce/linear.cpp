// All send everything to rank 0, which reduces it and sends the result to each.
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool linear(const Problem& problem, Schedule* schedule) {
  Problem rooted = problem;
  rooted.operation = Operation::reduce;
  rooted.root = 0;
  return reduce::linear(rooted, schedule) && broadcast::linear(rooted, schedule);
}

}  // namespace leadline::collectives::allreduce
