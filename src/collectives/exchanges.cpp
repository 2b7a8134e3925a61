#include "collectives/exchanges.hpp"

#include <algorithm>

#include "collectives/blocks.hpp"

namespace leadline::collectives {

namespace {

// A rank's own block goes nowhere.
void keep_own(const Problem& problem, Schedule* schedule) {
  schedule->copy(contributed_to(problem, problem.rank), received_from(problem, problem.rank));
}

// Starts what goes to and comes from the ranks `first` to `end` - 1 places away.
void exchange_with(const Problem& problem, int first, int end, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  for (int i = first; i < end; ++i) {
    const int source = (rank + p - i) % p;
    schedule->receive(received_from(problem, source), source);
  }
  for (int i = first; i < end; ++i) {
    const int target = (rank + i) % p;
    schedule->send(contributed_to(problem, target), target);
  }
}

}  // namespace

void exchange_at_once(const Problem& problem, Schedule* schedule) {
  const uint32_t first = schedule->requests;
  exchange_with(problem, 1, problem.processes, schedule);
  keep_own(problem, schedule);
  schedule->wait_from(first);
}

void exchange_in_groups(const Problem& problem, int partners, Schedule* schedule) {
  keep_own(problem, schedule);
  for (int i = 1; i < problem.processes; i += partners) {
    const uint32_t first = schedule->requests;
    exchange_with(problem, i, std::min(i + partners, problem.processes), schedule);
    schedule->wait_from(first);
  }
}

void exchange_in_rounds(const Problem& problem, Partners partners, Schedule* schedule) {
  const int p = problem.processes, rank = problem.rank;
  const bool in_pairs = partners == Partners::pairs && (p & (p - 1)) == 0;
  keep_own(problem, schedule);
  for (int i = 1; i < p; ++i) {
    const int target = in_pairs ? rank ^ i : (rank + i) % p, source = in_pairs ? target : (rank + p - i) % p;
    const uint32_t first = schedule->requests;
    schedule->receive(received_from(problem, source), source);
    schedule->send(contributed_to(problem, target), target);
    schedule->wait_from(first);
  }
}

}  // namespace leadline::collectives
