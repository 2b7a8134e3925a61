// The root sends a block to each; then every process sends its block to every other.
#include "collectives/scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool scatter_direct(const Problem& problem, Schedule* schedule) {
  const Scatter scatter(problem);
  const Blocks& blocks = scatter.blocks();
  const int p = problem.processes, mine = scatter.from_root(problem.rank);
  if (mine == 0) {
    const uint32_t start = schedule->requests;
    for (int i = 1; i < p; ++i) schedule->send(blocks[i], scatter.rank_of(i));
    for (int i = 1; i < p; ++i) schedule->send(blocks[0], scatter.rank_of(i));
    schedule->wait_from(start);
    return true;
  }
  // From one rank messages arrive in the order in which they were sent: the root's own block is its second.
  const uint32_t own = schedule->receive(blocks[mine], problem.root);
  const uint32_t first = schedule->requests;
  for (int i = 1; i < p; ++i) {
    const int from = (mine - i + p) % p;
    schedule->receive(blocks[from], scatter.rank_of(from));
  }
  schedule->wait(own);
  for (int i = 1; i < p; ++i) {
    const int to = (mine + i) % p;
    if (to) schedule->send(blocks[mine], scatter.rank_of(to));
  }
  schedule->wait_from(first);
  return true;
}

}  // namespace leadline::collectives::broadcast
