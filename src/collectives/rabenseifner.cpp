// Recursive halving: pairs, then pairs of pairs, ... exchange halves of what they have and reduce one each, so that
// each ends up with one part of the result. The halves go back the same way, to all or only towards the root. As the
// distance doubles (and doesn't halve) what is reduced are runs of ranks, and their order is kept.
#include "collectives/algorithms.hpp"
#include "collectives/reduction.hpp"

namespace leadline::collectives {

namespace {

struct Level {
  int distance;
  Range kept, sent;
};

std::vector<Level> halve(const Problem& problem, const Folding& folding, Partial* partial) {
  std::vector<Level> levels;
  Range mine{Space::data, 0, problem.count};
  const int position = folding.position();
  for (int distance = 1; distance < folding.participants(); distance *= 2) {
    const Blocks halves(mine, 2);
    const bool upper = position & distance;
    levels.push_back({distance, halves[upper], halves[!upper]});
    partial->exchange(halves[!upper], halves[upper], folding.rank_of(position ^ distance), upper);
    mine = halves[upper];
  }
  partial->settle(mine);
  return levels;
}

}  // namespace

bool allreduce_rabenseifner(const Problem& problem, Schedule* schedule) {
  if (problem.processes == 1) {
    take_input(problem, schedule);
    return true;
  }
  const Folding folding(problem);
  Partial partial(problem, schedule);
  folding.fold(problem, &partial);
  if (folding.position() >= 0) {
    const std::vector<Level> levels = halve(problem, folding, &partial);
    for (size_t i = levels.size(); i-- > 0;) {
      const int peer = folding.rank_of(folding.position() ^ levels[i].distance);
      const uint32_t first = schedule->requests;
      schedule->receive(levels[i].sent, peer);
      schedule->send(levels[i].kept, peer);
      schedule->wait_from(first);
    }
  }
  folding.unfold(problem, schedule);
  return true;
}

bool reduce_rabenseifner(const Problem& problem, Schedule* schedule) {
  if (problem.processes == 1) {
    take_input(problem, schedule);
    return true;
  }
  const Folding folding(problem);
  Partial partial(problem, schedule);
  folding.fold(problem, &partial);
  if (folding.position() < 0) return true;
  const std::vector<Level> levels = halve(problem, folding, &partial);
  for (size_t i = levels.size(); i-- > 0;) {
    const auto& [distance, kept, sent] = levels[i];
    const int peer = folding.rank_of(folding.position() ^ distance);
    if ((folding.position() ^ folding.position_of_root()) & distance) {
      schedule->wait(schedule->send(partial.at_home(kept), peer));
      return true;
    }
    schedule->wait(schedule->receive(partial.at_home(sent), peer));
  }
  return true;
}

}  // namespace leadline::collectives
