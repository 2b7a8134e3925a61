// A message each way in each round: down and then up in each dimension of a Cartesian communicator.
#include "collectives/neighbours.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::neighbor_alltoall {

bool by_dimension(const Problem& problem, Schedule* schedule) {
  return with_neighbours_by_dimension(problem, schedule);
}

}  // namespace leadline::collectives::neighbor_alltoall
