#include "collectives/tree_blocks.hpp"

#include "collectives/blocks.hpp"
#include "collectives/trees.hpp"

namespace leadline::collectives {

namespace {

struct Subtree {
  int rank, distance, blocks;  // distance: from the rank whose child it is
};

// Those of a rank's children; far ones, which have most blocks, first.
std::vector<Subtree> subtrees(const Problem& problem, const TreeLinks& links) {
  const int p = problem.processes, mine = (problem.rank - problem.root + p) % p;
  std::vector<Subtree> found;
  for (const int child : links.children) {
    const int distance = (child - problem.rank + p) % p;
    int most = 1;
    while (int64_t{most} * problem.radix <= distance) most *= problem.radix;
    found.push_back({child, distance, std::min(most, p - mine - distance)});
  }
  return found;
}

// A rank's blocks with those of its subtrees, its own first.
int blocks_of(const std::vector<Subtree>& children) {
  int blocks = 1;
  for (const Subtree& child : children) blocks += child.blocks;
  return blocks;
}

// In the root's buffer blocks lie in the order of ranks, so those of one child may be parted by the end of the buffer.
class AtRoot {
 public:
  AtRoot(const Problem& problem, Space space)
      : p_(problem.processes), blocks_({space, 0, p_ * problem.count}, p_), count_(problem.count) {}

  bool is_parted(const Subtree& child) const { return child.rank + child.blocks > p_; }
  int64_t elements(const Subtree& child) const { return child.blocks * count_; }
  Range whole(const Subtree& child) const { return blocks_.between(child.rank, child.rank + child.blocks); }
  // The two parts in the buffer, and where they lie in `joined`.
  Range upper(const Subtree& child) const { return blocks_.between(child.rank, p_); }
  Range lower(const Subtree& child) const { return blocks_.between(0, child.rank + child.blocks - p_); }
  Range upper(const Subtree& child, Range joined) const { return {joined.space, joined.first, upper(child).count}; }
  Range lower(const Subtree& child, Range joined) const {
    return {joined.space, joined.first + upper(child).count, lower(child).count};
  }

 private:
  int p_;
  Blocks blocks_;
  int64_t count_;
};

void collect_at_root(const Problem& problem, const std::vector<Subtree>& children, Schedule* schedule) {
  const AtRoot data(problem, Space::data);
  std::vector<uint32_t> requests;
  Range parted{};
  for (const Subtree& child : children) {
    if (data.is_parted(child)) parted = schedule->reserve(data.elements(child));
    requests.push_back(schedule->receive(data.is_parted(child) ? parted : data.whole(child), child.rank));
  }
  schedule->copy(contribution(problem), received_from(problem, problem.rank));
  for (size_t i = children.size(); i-- > 0;) {  // near children have the least to collect
    schedule->wait(requests[i]);
    if (!data.is_parted(children[i])) continue;
    schedule->copy(data.upper(children[i], parted), data.upper(children[i]));
    schedule->copy(data.lower(children[i], parted), data.lower(children[i]));
  }
}

void hand_out_at_root(const Problem& problem, const std::vector<Subtree>& children, Schedule* schedule) {
  const AtRoot input(problem, Space::input);
  const uint32_t first = schedule->requests;
  for (const Subtree& child : children) {
    Range whole = input.whole(child);
    if (input.is_parted(child)) {
      whole = schedule->reserve(input.elements(child));
      schedule->copy(input.upper(child), input.upper(child, whole));
      schedule->copy(input.lower(child), input.lower(child, whole));
    }
    schedule->send(whole, child.rank);
  }
  schedule->copy(contributed_to(problem, problem.rank), result(problem));
  schedule->wait_from(first);
}

}  // namespace

bool gather_along_tree(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, problem.radix);
  const std::vector<Subtree> children = subtrees(problem, links);
  if (links.parent < 0) {
    collect_at_root(problem, children, schedule);
  } else if (children.empty()) {
    schedule->wait(schedule->send(contribution(problem), links.parent));
  } else {
    const int blocks = blocks_of(children);
    const Range all = schedule->reserve(blocks * problem.count);
    const Blocks mine(all, blocks);
    const uint32_t first = schedule->requests;
    for (const Subtree& child : children)
      schedule->receive(mine.between(child.distance, child.distance + child.blocks), child.rank);
    schedule->copy(contribution(problem), mine[0]);
    schedule->wait_from(first);
    schedule->wait(schedule->send(all, links.parent));
  }
  return true;
}

bool scatter_along_tree(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, problem.radix);
  const std::vector<Subtree> children = subtrees(problem, links);
  if (links.parent < 0) {
    hand_out_at_root(problem, children, schedule);
  } else if (children.empty()) {
    schedule->wait(schedule->receive(result(problem), links.parent));
  } else {
    const int blocks = blocks_of(children);
    const Range all = schedule->reserve(blocks * problem.count);
    const Blocks mine(all, blocks);
    schedule->wait(schedule->receive(all, links.parent));
    const uint32_t first = schedule->requests;
    for (const Subtree& child : children)
      schedule->send(mine.between(child.distance, child.distance + child.blocks), child.rank);
    schedule->copy(mine[0], result(problem));
    schedule->wait_from(first);
  }
  return true;
}

}  // namespace leadline::collectives
