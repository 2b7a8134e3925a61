// Each process that has the data passes it on to the one half as far away as the last.
#include "collectives/algorithms.hpp"

namespace leadline::collectives {

bool broadcast_binomial(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes;
  const int from_root = (problem.rank - problem.root + p) % p;
  const Range all{Space::data, 0, problem.count};
  int distance = 1;
  while (distance < p && !(from_root & distance)) distance *= 2;
  if (from_root) schedule->wait(schedule->receive(all, (problem.rank - distance + p) % p));
  const uint32_t first = schedule->requests;
  for (distance /= 2; distance > 0; distance /= 2)
    if (from_root + distance < p) schedule->send(all, (problem.rank + distance) % p);
  for (uint32_t request = first; request < schedule->requests; ++request) schedule->wait(request);
  return true;
}

}  // namespace leadline::collectives
