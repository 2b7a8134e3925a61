// Each rank sends its block to the root, which has posted all receives.
#include "collectives/to_root.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::gather {

bool linear(const Problem& problem, Schedule* schedule) {
  gather_at_once(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::gather
