// Each sends everything to the root, which reduces in the order of ranks: from the highest down, because a reduction in
// place takes its operands in that order.
#include "collectives/blocks.hpp"
#include "collectives/reduction.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::reduce {

bool linear(const Problem& problem, Schedule* schedule) {
  const Range input{Space::input, 0, problem.count};
  if (problem.processes == 1) {
    take_input(problem, schedule);
    return true;
  }
  if (problem.rank != problem.root) {
    schedule->wait(schedule->send(input, problem.root));
    return true;
  }
  // `data` may be the input, which is needed in its turn: the sum is computed elsewhere.
  const Range sum = schedule->reserve(problem.count);
  Range arrives = schedule->reserve(problem.count), next = schedule->reserve(problem.count);
  const auto receive = [&](Range to, int from) {
    return from >= 0 && from != problem.root ? schedule->receive(to, from) : no_request;
  };
  const int last = problem.processes - 1;
  uint32_t arriving = receive(sum, last);
  if (last == problem.root) schedule->copy(input, sum);
  for (int from = last; from >= 0; --from) {
    const uint32_t following = receive(next, from - 1);
    schedule->wait(arriving);
    if (from < last) schedule->reduce(from == problem.root ? input : arrives, sum);
    arriving = following;
    std::swap(arrives, next);
  }
  schedule->copy(sum, {Space::data, 0, problem.count});
  return true;
}

}  // namespace leadline::collectives::reduce
