// The blocks are scattered along a binomial tree and then go round a ring. They pass every process, but go to none that
// already has them from the scatter.
#include "collectives/scatter.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::broadcast {

bool scatter_ring(const Problem& problem, Schedule* schedule) {
  const Scatter scatter(problem);
  const int p = problem.processes, mine = scatter.from_root(problem.rank);
  scatter.binomial(problem.rank, schedule);
  const int next = (mine + 1) % p;
  for (int step = 0; step + 1 < p; ++step) {
    const int sent = (mine - step + p) % p, received = (sent - 1 + p) % p;
    const uint32_t first = schedule->requests;
    if (received < mine || received >= scatter.last_held(mine))
      schedule->receive(scatter.blocks()[received], scatter.rank_of(mine - 1 + p));
    if (sent < next || sent >= scatter.last_held(next)) schedule->send(scatter.blocks()[sent], scatter.rank_of(next));
    schedule->wait_from(first);
  }
  return true;
}

}  // namespace leadline::collectives::broadcast
