// Each process passes the data on to the next, segment by segment.
#include "collectives/algorithms.hpp"
#include "collectives/pipelines.hpp"

namespace leadline::collectives {

bool broadcast_chain(const Problem& problem, Schedule* schedule) {
  const Segments segments({Space::data, 0, problem.count}, problem.segment_bytes, problem.element_bytes);
  PassDown(schedule, chain_place(problem.processes, problem.rank, problem.root), segments).all();
  return true;
}

}  // namespace leadline::collectives
