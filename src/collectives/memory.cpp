#include "collectives/memory.hpp"

namespace leadline::collectives {

bool through_memory(const Problem& problem, Schedule* schedule) {
  if (!problem.shares_memory) return false;
  for (int rank = 1; problem.node_of && rank < problem.processes; ++rank)
    if (problem.node_of[rank] != problem.node_of[0]) return false;
  const OperationFacts& facts = facts_of(problem.operation);
  if (facts.has_data && problem.count == 0) return true;
  const bool is_root = facts.has_root && problem.rank == problem.root;
  const Space own = facts.has_one_buffer() ? Space::data : Space::input;
  Range from{own, 0, 0}, to{Space::data, 0, 0};
  if (facts.contributes(is_root)) from.count = problem.count;
  if (facts.has_result(is_root)) to.count = problem.count;
  schedule->together(problem.operation, facts.has_root ? problem.root : 0, from, to);
  return true;
}

}  // namespace leadline::collectives
