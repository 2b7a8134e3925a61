// Recursive halving: pairs, then pairs of pairs, ... exchange halves of their data and reduce one each, so that each
// ends up with one part of the result. The halves go back the same way, to all or only towards the root. Because the
// distance doubles (and does not halve), runs of ranks are reduced, and their order is kept.
#include "collectives/algorithms.hpp"
#include "collectives/reduction.hpp"

namespace leadline::collectives {

namespace {

struct Level {
  int peer;
  bool peer_is_towards_root;
  Range kept, sent;
};

// What both begin with. Those folded into another have no levels.
std::vector<Level> halve(const Problem& problem, const Folding& folding, Partial* partial) {
  std::vector<Level> levels;
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

}  // namespace

bool allreduce_rabenseifner(const Problem& problem, Schedule* schedule) {
  const Folding folding(problem);
  Partial partial(problem, schedule);
  const std::vector<Level> levels = halve(problem, folding, &partial);
  for (size_t i = levels.size(); i-- > 0;) {
    const uint32_t first = schedule->requests;
    schedule->receive(levels[i].sent, levels[i].peer);
    schedule->send(levels[i].kept, levels[i].peer);
    schedule->wait_from(first);
  }
  folding.unfold(problem, schedule);
  return true;
}

bool reduce_rabenseifner(const Problem& problem, Schedule* schedule) {
  const Folding folding(problem);
  Partial partial(problem, schedule);
  const std::vector<Level> levels = halve(problem, folding, &partial);
  for (size_t i = levels.size(); i-- > 0;) {
    const auto& [peer, peer_is_towards_root, kept, sent] = levels[i];
    if (peer_is_towards_root) {
      schedule->wait(schedule->send(partial.at_home(kept), peer));
      return true;
    }
    schedule->wait(schedule->receive(partial.at_home(sent), peer));
  }
  return true;
}

}  // namespace leadline::collectives
