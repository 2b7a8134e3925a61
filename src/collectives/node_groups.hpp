// Who is on which node: the groups of multi-level algorithms.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

using Builder = bool(const Problem& problem, Schedule* schedule);

struct Group {
  std::vector<int> members;  // ranks, ascending
  int own = -1, root = -1;   // places of the rank and of the root; -1: isn't in it
};

// The ranks of this rank's node.
Group node_mates(const Problem& problem);
// The lowest rank of each node; if root_leads, the root of its own.
Group leaders(const Problem& problem, bool root_leads);
// The rank at this place of each node; there must be one.
Group lane(const std::vector<std::vector<int>>& nodes, size_t place, const Problem& problem);
// The ranks of each node, in their order; nodes in the order of their first ranks.
std::vector<std::vector<int>> ranks_of_nodes(const Problem& problem);

// For leaders: what their nodes reduced to is the input.
inline constexpr Schedule::Bases reduced{.input = {Space::data, 0, 0}};

// The problem of an operation within a group. `root`: a place in it.
Problem within(const Problem& problem, Operation operation, const Group& group, int root);
// What `over` does among a group, appended for its members. Every rank checks whether that can be used: the answer is
// the same everywhere.
bool append_among(const Group& group, Problem problem, Builder* over, const Schedule::Bases& bases, Schedule* schedule);

}  // namespace leadline::collectives
