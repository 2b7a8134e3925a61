// Up a binomial tree and down again.
#include "collectives/prefixes.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scan {

bool binomial(const Problem& problem, Schedule* schedule) {
  prefix_by_tree(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::scan
