#include "collectives/meetings.hpp"

#include "collectives/reduction.hpp"
#include "collectives/trees.hpp"

namespace leadline::collectives {

namespace {

// Signals that are exchanged by two ranks.
void meet(int peer, Schedule* schedule) {
  const uint32_t first = schedule->requests;
  schedule->await(peer);
  schedule->signal(peer);
  schedule->wait_from(first);
}

}  // namespace

bool meet_by_dissemination(const Problem& problem, Schedule* schedule) {
  if (problem.radix < 2) return false;
  const int64_t p = problem.processes, rank = problem.rank;
  for (int64_t heard_of = 1; heard_of < p; heard_of *= problem.radix) {
    const uint32_t first = schedule->requests;
    for (int64_t away = heard_of; away < p && away < heard_of * problem.radix; away += heard_of) {
      schedule->await(static_cast<int>((rank - away + p) % p));
      schedule->signal(static_cast<int>((rank + away) % p));
    }
    schedule->wait_from(first);
  }
  return true;
}

void meet_by_recursive_doubling(const Problem& problem, Schedule* schedule) {
  const Folding folding(problem);
  const int partner = folding.partner(), position = folding.position();
  if (position < 0) {
    meet(partner, schedule);
    return;
  }
  if (partner >= 0) schedule->wait(schedule->await(partner));
  for (int distance = 1; distance < folding.participants(); distance *= 2)
    meet(folding.rank_of(position ^ distance), schedule);
  if (partner >= 0) schedule->wait(schedule->signal(partner));
}

void signal_up_tree(const Problem& problem, Schedule* schedule) {
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, problem.radix);
  const uint32_t first = schedule->requests;
  for (const int child : links.children) schedule->await(child);
  schedule->wait_from(first);
  if (links.parent >= 0) schedule->wait(schedule->signal(links.parent));
}

void signal_down_tree(const Problem& problem, Schedule* schedule) {
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, problem.radix);
  if (links.parent >= 0) schedule->wait(schedule->await(links.parent));
  const uint32_t first = schedule->requests;
  for (const int child : links.children) schedule->signal(child);
  schedule->wait_from(first);
}

}  // namespace leadline::collectives
