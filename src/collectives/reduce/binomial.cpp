// Along a binomial tree from the root: a process reduces the data of those farther away and passes the result on.
#include "collectives/reduction.hpp"
#include "collectives/trees.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool binomial(const Problem& problem, Schedule* schedule) {
  const TreeLinks links = knomial_tree_links(problem.processes, problem.rank, problem.root, 2);
  const Range input{Space::input, 0, problem.count};
  if (links.children.empty()) {
    take_input(problem, schedule);
    if (links.parent >= 0) schedule->wait(schedule->send(input, links.parent));
    return true;
  }
  const Range sum = has_result(problem) ? Range{Space::data, 0, problem.count} : schedule->reserve(problem.count);
  Range arrives = schedule->reserve(problem.count), next = schedule->reserve(problem.count);
  // The nearest has least to wait for.
  uint32_t arriving = schedule->receive(arrives, links.children.back());
  schedule->copy(input, sum);
  for (size_t i = links.children.size(); i-- > 0;) {
    const uint32_t following = i ? schedule->receive(next, links.children[i - 1]) : no_request;
    schedule->wait(arriving);
    schedule->reduce(arrives, sum);
    arriving = following;
    std::swap(arrives, next);
  }
  if (links.parent >= 0) schedule->wait(schedule->send(sum, links.parent));
  return true;
}

}  // namespace leadline::collectives::reduce
