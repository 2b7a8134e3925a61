#include "collectives/shared_levels.hpp"

#include <algorithm>

#include "collectives/blocks.hpp"
#include "collectives/node_steps.hpp"

namespace leadline::collectives {

namespace {

Range all_of(Space space, const Problem& problem) { return {space, 0, problem.count}; }

bool has_nothing(const Problem& problem) { return facts_of(problem.operation).has_data && problem.count == 0; }

}  // namespace

bool shared_allreduce(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  if (has_nothing(problem)) return true;
  const Group node = node_mates(problem), top = leaders(problem, false);
  const NodeSteps steps(node, schedule);
  const Range data = all_of(Space::data, problem);
  steps.reduce(0, all_of(Space::input, problem), data);
  if (!append_among(top, within(problem, Operation::allreduce, top, 0), over, reduced, schedule)) return false;
  steps.broadcast(0, data);
  return true;
}

bool shared_allreduce_in_lanes(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory || problem.radix < 2) return false;
  if (has_nothing(problem)) return true;
  const std::vector<std::vector<int>> nodes = ranks_of_nodes(problem);
  auto lanes = static_cast<size_t>(problem.radix);
  for (const std::vector<int>& of_node : nodes) lanes = std::min(lanes, of_node.size());
  const Group node = node_mates(problem);
  const NodeSteps steps(node, schedule);
  const Blocks parts(all_of(Space::data, problem), static_cast<int>(lanes));
  for (int i = 0; i < parts.parts(); ++i) steps.reduce(i, in_space(Space::input, parts[i]), parts[i]);
  for (int i = 0; i < parts.parts(); ++i) {
    if (!parts[i].count) continue;
    const Group members = lane(nodes, static_cast<size_t>(i), problem);
    Problem part = within(problem, Operation::allreduce, members, 0);
    part.count = parts[i].count;
    part.radix = Problem{}.radix;
    if (!append_among(members, part, over, {.data = parts[i], .input = parts[i]}, schedule)) return false;
  }
  for (int i = 0; i < parts.parts(); ++i) steps.broadcast(i, parts[i]);
  return true;
}

bool shared_reduce(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  if (has_nothing(problem)) return true;
  const Group node = node_mates(problem), top = leaders(problem, true);
  const bool has_buffer = problem.rank == problem.root;
  Range sum = all_of(Space::data, problem);
  if (top.own >= 0 && !has_buffer) sum = schedule->reserve(problem.count);
  NodeSteps(node, schedule).reduce(std::max(node.root, 0), all_of(Space::input, problem), sum);
  return append_among(top, within(problem, Operation::reduce, top, top.root), over, {.input = sum}, schedule);
}

bool shared_broadcast(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  if (has_nothing(problem)) return true;
  const Group node = node_mates(problem), top = leaders(problem, true);
  if (!append_among(top, within(problem, Operation::broadcast, top, top.root), over, {}, schedule)) return false;
  NodeSteps(node, schedule).broadcast(std::max(node.root, 0), all_of(Space::data, problem));
  return true;
}

bool shared_barrier(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  const Group node = node_mates(problem), top = leaders(problem, false);
  const NodeSteps steps(node, schedule);
  const Range nothing{Space::data, 0, 0};
  steps.gather(0, nothing, nothing);
  if (!append_among(top, within(problem, Operation::barrier, top, 0), over, {}, schedule)) return false;
  steps.broadcast(0, nothing);
  return true;
}

bool shared_allgather(const Problem& problem, Builder* over, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  if (has_nothing(problem)) return true;
  const std::vector<std::vector<int>> nodes = ranks_of_nodes(problem);
  const Group node = node_mates(problem), top = leaders(problem, false);
  const NodeSteps steps(node, schedule);
  // The leaders have all blocks, node after node: in their places, if every node's ranks are neighbours.
  std::vector<int> order;
  std::vector<int64_t> counts, places;
  for (const std::vector<int>& of_node : nodes) {
    counts.push_back(static_cast<int64_t>(of_node.size()) * problem.count);
    places.push_back(static_cast<int64_t>(order.size()) * problem.count);
    order.insert(order.end(), of_node.begin(), of_node.end());
  }
  const bool in_order = std::is_sorted(order.begin(), order.end());
  const Range data{Space::data, 0, problem.processes * problem.count};
  Range all = data, own = data;
  if (top.own >= 0) {
    if (!in_order) all = schedule->reserve(data.count);
    const auto place = static_cast<size_t>(top.own);
    own = {all.space, all.first + places[place], counts[place]};
  }
  steps.gather(0, all_of(Space::input, problem), {own.space, own.first, problem.count});
  Problem among_leaders = within(problem, Operation::allgatherv, top, 0);
  among_leaders.counts_received = counts.data();
  among_leaders.places_received = places.data();
  if (!append_among(top, among_leaders, over, {.data = all, .input = own}, schedule)) return false;
  for (size_t i = 0; top.own >= 0 && !in_order && i < order.size(); ++i)
    schedule->copy({all.space, all.first + static_cast<int64_t>(i) * problem.count, problem.count},
                   {Space::data, order[i] * problem.count, problem.count});
  steps.broadcast(0, data);
  return true;
}

}  // namespace leadline::collectives
