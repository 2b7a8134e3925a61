// A combinator: the ranks of a node reduce to their leader, the leaders run another algorithm, and each leader
// broadcasts on its node.
#include "collectives/two_level.hpp"

#include <algorithm>

#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives {

namespace {

// For the leaders: what their nodes reduced to is the input.
constexpr Schedule::Bases reduced{.input = {Space::data, 0, 0}};

struct Group {
  std::vector<int> members;  // ranks, ascending
  int own = -1, root = -1;   // places of the rank and of the root; -1: isn't in it
};

int node_of(const Problem& problem, int rank) { return problem.node_of ? problem.node_of[rank] : 0; }

void add(Group* group, const Problem& problem, int rank) {
  if (rank == problem.rank) group->own = static_cast<int>(group->members.size());
  if (rank == problem.root) group->root = static_cast<int>(group->members.size());
  group->members.push_back(rank);
}

// The ranks of this rank's node.
Group node_mates(const Problem& problem) {
  Group group;
  for (int rank = 0; rank < problem.processes; ++rank)
    if (node_of(problem, rank) == node_of(problem, problem.rank)) add(&group, problem, rank);
  return group;
}

// The lowest rank of each node; the root of its own.
Group leaders(const Problem& problem, bool root_leads) {
  std::vector<int> nodes;
  if (root_leads) nodes.push_back(node_of(problem, problem.root));
  Group group;
  for (int rank = 0; rank < problem.processes; ++rank) {
    bool first = std::find(nodes.begin(), nodes.end(), node_of(problem, rank)) == nodes.end();
    if (first) nodes.push_back(node_of(problem, rank));
    if (first || (root_leads && rank == problem.root)) add(&group, problem, rank);
  }
  return group;
}

Problem within(const Problem& problem, Operation operation, const Group& group, int root) {
  Problem part = problem;
  part.operation = operation;
  part.processes = static_cast<int>(group.members.size());
  part.rank = group.own;
  part.root = root;
  part.node_of = nullptr;
  return part;
}

}  // namespace

bool two_level_allreduce(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, false);
  Schedule up, across, down;
  // The leader is the first of its node. The others keep data on its way in their own scratch.
  if (!reduce::binomial(within(problem, Operation::reduce, node, 0), &up)) return false;
  schedule->append(up, node.members.data(), {});
  // Every rank checks whether the other algorithm can be used; the answer is the same everywhere.
  Problem asked = within(problem, Operation::allreduce, top, 0);
  if (top.own < 0) asked.rank = 0;
  if (!over(asked, &across)) return false;
  if (top.own >= 0) schedule->append(across, top.members.data(), reduced);
  if (!broadcast::binomial(within(problem, Operation::broadcast, node, 0), &down)) return false;
  schedule->append(down, node.members.data(), {});
  return true;
}

bool two_level_barrier(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, false);
  Problem asked = within(problem, Operation::barrier, node, 0);
  asked.radix = 2;
  Schedule up, across, down;
  signal_up_tree(asked, &up);
  schedule->append(up, node.members.data(), {});
  asked = within(problem, Operation::barrier, top, 0);
  if (top.own < 0) asked.rank = 0;
  if (!over(asked, &across)) return false;
  if (top.own >= 0) schedule->append(across, top.members.data(), {});
  asked = within(problem, Operation::barrier, node, 0);
  asked.radix = 2;
  signal_down_tree(asked, &down);
  schedule->append(down, node.members.data(), {});
  return true;
}

bool two_level_reduce(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, true);
  const int leader = node.root >= 0 ? node.root : 0;
  Schedule up, across;
  if (!reduce::binomial(within(problem, Operation::reduce, node, leader), &up)) return false;
  Problem asked = within(problem, Operation::reduce, top, top.root);
  if (top.own < 0) asked.rank = 0;
  if (!over(asked, &across)) return false;
  if (top.own < 0 || problem.rank == problem.root) {
    schedule->append(up, node.members.data(), {});
    if (top.own >= 0) schedule->append(across, top.members.data(), reduced);
    return true;
  }
  // A leader that isn't the root has no data buffer: the result of its node is in scratch.
  const Range sum = schedule->reserve(problem.count);
  schedule->append(up, node.members.data(), {.data = sum});
  schedule->append(across, top.members.data(), {.input = sum});
  return true;
}

}  // namespace leadline::collectives
