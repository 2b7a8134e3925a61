// Each block goes round the ring once, in segments, and is reduced on the way.
#include "collectives/reduce_scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce_scatter {

bool ring(const Problem& problem, Schedule* schedule) {
  ring_reduce_scatter(problem, problem.segment_bytes, result(problem), schedule);
  return true;
}

}  // namespace leadline::collectives::reduce_scatter
