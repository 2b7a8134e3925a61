// Pairs, pairs of pairs, ... exchange all that they have, which lies side by side. If the number of ranks is no power
// of two, it is Bruck's algorithm, which has as few rounds.
#include "collectives/allgathers.hpp"
#include "collectives/blocks.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allgather {

bool recursive_doubling(const Problem& problem, Schedule* schedule) {
  const int p = problem.processes;
  if (p & (p - 1)) {
    Problem binary = problem;
    binary.radix = 2;
    allgather_by_bruck(binary, schedule);
    return true;
  }
  const Blocks blocks({Space::data, 0, p * problem.count}, p);
  schedule->copy(contribution(problem), blocks[problem.rank]);
  for (int have = 1; have < p; have *= 2) {
    const int mine = problem.rank & ~(have - 1), peer = problem.rank ^ have, its = mine ^ have;
    const uint32_t first = schedule->requests;
    schedule->receive(blocks.between(its, its + have), peer);
    schedule->send(blocks.between(mine, mine + have), peer);
    schedule->wait_from(first);
  }
  return true;
}

}  // namespace leadline::collectives::allgather
