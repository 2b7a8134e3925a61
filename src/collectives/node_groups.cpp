#include "collectives/node_groups.hpp"

#include <algorithm>

namespace leadline::collectives {

namespace {

int node_of(const Problem& problem, int rank) { return problem.node_of ? problem.node_of[rank] : 0; }

void add(Group* group, const Problem& problem, int rank) {
  if (rank == problem.rank) group->own = static_cast<int>(group->members.size());
  if (rank == problem.root) group->root = static_cast<int>(group->members.size());
  group->members.push_back(rank);
}

}  // namespace

Group node_mates(const Problem& problem) {
  Group group;
  for (int rank = 0; rank < problem.processes; ++rank)
    if (node_of(problem, rank) == node_of(problem, problem.rank)) add(&group, problem, rank);
  return group;
}

Group leaders(const Problem& problem, bool root_leads) {
  std::vector<int> nodes;
  if (root_leads) nodes.push_back(node_of(problem, problem.root));
  Group group;
  for (int rank = 0; rank < problem.processes; ++rank) {
    const bool first = std::find(nodes.begin(), nodes.end(), node_of(problem, rank)) == nodes.end();
    if (first) nodes.push_back(node_of(problem, rank));
    if (first || (root_leads && rank == problem.root)) add(&group, problem, rank);
  }
  return group;
}

Group lane(const std::vector<std::vector<int>>& nodes, size_t place, const Problem& problem) {
  std::vector<int> ranks;
  for (const std::vector<int>& node : nodes) ranks.push_back(node[place]);
  std::sort(ranks.begin(), ranks.end());
  Group group;
  for (const int rank : ranks) add(&group, problem, rank);
  return group;
}

std::vector<std::vector<int>> ranks_of_nodes(const Problem& problem) {
  std::vector<std::vector<int>> nodes;
  std::vector<int> numbers;
  for (int rank = 0; rank < problem.processes; ++rank) {
    const int number = node_of(problem, rank);
    const auto known = std::find(numbers.begin(), numbers.end(), number) - numbers.begin();
    if (known == static_cast<std::ptrdiff_t>(numbers.size())) {
      numbers.push_back(number);
      nodes.emplace_back();
    }
    nodes[static_cast<size_t>(known)].push_back(rank);
  }
  return nodes;
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

bool append_among(const Group& group, Problem problem, Builder* over, const Schedule::Bases& bases,
                  Schedule* schedule) {
  if (group.own < 0) problem.rank = 0;
  Schedule part;
  if (!over(problem, &part)) return false;
  if (group.own >= 0) schedule->append(part, group.members.data(), bases);
  return true;
}

}  // namespace leadline::collectives
