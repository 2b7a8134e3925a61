// Each rank sends its block to the root, which has posted all receives.
#include "collectives/blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::gather {

bool linear(const Problem& problem, Schedule* schedule) {
  const Range own{Space::input, 0, problem.count};
  if (problem.rank != problem.root) {
    schedule->wait(schedule->send(own, problem.root));
    return true;
  }
  const int p = problem.processes;
  const Blocks data({Space::data, 0, p * problem.count}, p);
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) schedule->receive(data[(problem.root + i) % p], (problem.root + i) % p);
  schedule->copy(own, data[problem.root]);
  schedule->wait_from(first);
  return true;
}

}  // namespace leadline::collectives::gather
