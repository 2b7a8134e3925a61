// The root sends everything to each rank.
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool linear(const Problem& problem, Schedule* schedule) {
  const Range all{Space::data, 0, problem.count};
  const uint32_t start = schedule->requests;
  if (problem.rank != problem.root)
    schedule->receive(all, problem.root);
  else
    for (int i = 1; i < problem.processes; ++i) schedule->send(all, (problem.root + i) % problem.processes);
  schedule->wait_from(start);
  return true;
}

}  // namespace leadline::collectives::broadcast
