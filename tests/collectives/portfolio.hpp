// All ranks' schedules of one problem.
#pragma once

#include <vector>

#include "collectives/algorithm.hpp"

namespace leadline::test {

using namespace leadline::collectives;

// Empty where the algorithm can't be used.
inline std::vector<Schedule> schedules_of(const Algorithm& algorithm, Problem problem) {
  problem.operation = algorithm.operation;
  std::vector<Schedule> schedules(static_cast<size_t>(problem.processes));
  for (problem.rank = 0; problem.rank < problem.processes; ++problem.rank)
    if (!algorithm.build(problem, &schedules[static_cast<size_t>(problem.rank)])) return {};
  return schedules;
}

}  // namespace leadline::test
