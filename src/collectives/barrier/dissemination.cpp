// In each round a rank signals to others, so that all have heard of radix times as many.
#include "collectives/meetings.hpp"
#include "leadline/algorithms.hpp"

namespace leadline::collectives::barrier {

bool dissemination(const Problem& problem, Schedule* schedule) { return meet_by_dissemination(problem, schedule); }

}  // namespace leadline::collectives::barrier
