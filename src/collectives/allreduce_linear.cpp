// All send everything to rank 0, which reduces it and sends the result to each.
#include "collectives/algorithms.hpp"

namespace leadline::collectives {

bool allreduce_linear(const Problem& problem, Schedule* schedule) {
  Problem rooted = problem;
  rooted.operation = Operation::reduce;
  rooted.root = 0;
  return reduce_linear(rooted, schedule) && broadcast_linear(rooted, schedule);
}

}  // namespace leadline::collectives
