// A combinator: the ranks of a node reduce to their leader, the leaders run another algorithm, and each leader
// broadcasts on its node.
#include "collectives/two_level.hpp"

#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives {

bool two_level_allreduce(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, false);
  Schedule up, down;
  // The leader is the first of its node. The others keep data on its way in their own scratch.
  if (!reduce::binomial(within(problem, Operation::reduce, node, 0), &up)) return false;
  schedule->append(up, node.members.data(), {});
  if (!append_among(top, within(problem, Operation::allreduce, top, 0), over, reduced, schedule)) return false;
  if (!broadcast::binomial(within(problem, Operation::broadcast, node, 0), &down)) return false;
  schedule->append(down, node.members.data(), {});
  return true;
}

bool two_level_barrier(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, false);
  Problem asked = within(problem, Operation::barrier, node, 0);
  asked.radix = 2;
  Schedule up, down;
  signal_up_tree(asked, &up);
  schedule->append(up, node.members.data(), {});
  if (!append_among(top, within(problem, Operation::barrier, top, 0), over, {}, schedule)) return false;
  signal_down_tree(asked, &down);
  schedule->append(down, node.members.data(), {});
  return true;
}

bool two_level_reduce(const Problem& problem, Builder* over, Schedule* schedule) {
  const Group node = node_mates(problem), top = leaders(problem, true);
  const int leader = node.root >= 0 ? node.root : 0;
  Schedule up;
  if (!reduce::binomial(within(problem, Operation::reduce, node, leader), &up)) return false;
  const Problem among_leaders = within(problem, Operation::reduce, top, top.root);
  if (top.own < 0 || problem.rank == problem.root) {
    schedule->append(up, node.members.data(), {});
    return append_among(top, among_leaders, over, reduced, schedule);
  }
  // A leader that isn't the root has no data buffer: the result of its node is in scratch.
  const Range sum = schedule->reserve(problem.count);
  schedule->append(up, node.members.data(), {.data = sum});
  return append_among(top, among_leaders, over, {.input = sum}, schedule);
}

}  // namespace leadline::collectives
