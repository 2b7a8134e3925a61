// Pairs, then pairs of pairs, ... exchange everything and reduce it, in the order of ranks.
#include "collectives/reduction.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::allreduce {

bool recursive_doubling(const Problem& problem, Schedule* schedule) {
  if (problem.processes == 1) {
    take_input(problem, schedule);
    return true;
  }
  const Range all{Space::data, 0, problem.count};
  const Folding folding(problem);
  Partial partial(problem, schedule);
  folding.fold(problem, &partial);
  if (const int position = folding.position(); position >= 0) {
    for (int distance = 1; distance < folding.participants(); distance *= 2)
      partial.exchange(all, all, folding.rank_of(position ^ distance), position & distance);
    partial.settle(all);
  }
  folding.unfold(problem, schedule);
  return true;
}

}  // namespace leadline::collectives::allreduce
