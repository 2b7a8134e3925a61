// The root sends each rank its block, all at once, beginning with the rank after it.
#include "collectives/to_root.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scatterv {

bool linear(const Problem& problem, Schedule* schedule) {
  scatter_at_once(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::scatterv
