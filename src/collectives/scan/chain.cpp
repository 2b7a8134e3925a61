// Each rank passes on to the next one what it got from the one before, with its own.
#include "collectives/prefixes.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::scan {

bool chain(const Problem& problem, Schedule* schedule) {
  prefix_along_chain(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::scan
