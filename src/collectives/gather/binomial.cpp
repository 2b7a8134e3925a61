// Along a binomial tree from the root: a rank collects the blocks of those farther away, in the order of their
// distance, and passes them on with its own. In the root's buffer the blocks lie in the order of ranks, so those of one
// child may be parted by the end of the buffer: they are received elsewhere first.
#include "collectives/blocks.hpp"
#include "collectives/trees.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::gather {

namespace {

// Of each child, the blocks that come from it.
struct Subtree {
  int rank, distance, blocks;  // distance: from the rank that collects
};

std::vector<Subtree> subtrees(const Problem& problem, const TreeLinks& links) {
  const int p = problem.processes, mine = (problem.rank - problem.root + p) % p;
  std::vector<Subtree> found;
  for (const int child : links.children) {
    const int distance = (child - problem.rank + p) % p;  // a power of two, and the most that its subtree can have
    found.push_back({child, distance, std::min(distance, p - mine - distance)});
  }
  return found;
}

void collect_at_root(const Problem& problem, const std::vector<Subtree>& from, Schedule* schedule) {
  const int p = problem.processes;
  const Blocks data({Space::data, 0, p * problem.count}, p);
  std::vector<uint32_t> requests;
  Range parted{};
  for (const Subtree& subtree : from) {
    const bool is_parted = subtree.rank + subtree.blocks > p;
    if (is_parted) parted = schedule->reserve(subtree.blocks * problem.count);
    const Range whole = is_parted ? parted : data.between(subtree.rank, subtree.rank + subtree.blocks);
    requests.push_back(schedule->receive(whole, subtree.rank));
  }
  schedule->copy({Space::input, 0, problem.count}, data[problem.root]);
  for (size_t i = from.size(); i-- > 0;) {  // the nearest child has the least to collect
    const Subtree& subtree = from[i];
    schedule->wait(requests[i]);
    if (subtree.rank + subtree.blocks <= p) continue;
    const Range upper = data.between(subtree.rank, p), lower = data.between(0, subtree.rank + subtree.blocks - p);
    schedule->copy({parted.space, parted.first, upper.count}, upper);
    schedule->copy({parted.space, parted.first + upper.count, lower.count}, lower);
  }
}

}  // namespace

bool binomial(const Problem& problem, Schedule* schedule) {
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, 2);
  const std::vector<Subtree> from = subtrees(problem, links);
  const Range own{Space::input, 0, problem.count};
  if (links.parent < 0) {
    collect_at_root(problem, from, schedule);
  } else if (from.empty()) {
    schedule->wait(schedule->send(own, links.parent));
  } else {
    const int blocks = from.front().distance + from.front().blocks;
    const Range all = schedule->reserve(blocks * problem.count);
    const Blocks mine(all, blocks);
    const uint32_t first = schedule->requests;
    for (const Subtree& subtree : from)
      schedule->receive(mine.between(subtree.distance, subtree.distance + subtree.blocks), subtree.rank);
    schedule->copy(own, mine[0]);
    schedule->wait_from(first);
    schedule->wait(schedule->send(all, links.parent));
  }
  return true;
}

}  // namespace leadline::collectives::gather
