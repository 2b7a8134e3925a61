#include "collectives/halving.hpp"

namespace leadline::collectives {

std::vector<HalvingLevel> halve(const Problem& problem, const Folding& folding, Partial* partial) {
  std::vector<HalvingLevel> levels;
  folding.fold(problem, partial);
  const int position = folding.position();
  if (position < 0) return levels;
  Range mine{Space::data, 0, problem.count};
  for (int distance = 1; distance < folding.participants(); distance *= 2) {
    const Blocks halves(mine, 2);
    const bool upper = position & distance;
    levels.push_back({folding.rank_of(position ^ distance), bool((position ^ folding.position_of_root()) & distance),
                      halves[upper], halves[!upper]});
    partial->exchange(halves[!upper], halves[upper], levels.back().peer, upper);
    mine = halves[upper];
  }
  partial->settle(mine);
  return levels;
}

}  // namespace leadline::collectives
