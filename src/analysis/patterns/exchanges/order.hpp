// What the order of calls in one step says of an exchange: whether messages wait for one another, whether several could
// have been one, and whether anything is computed while they are under way.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/matching/step.hpp"
#include "analysis/patterns/exchanges/computation_between.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/ordering.hpp"

namespace leadline::analysis {

// Whether hardly anything is computed between posting and completing, compared with the time in the calls that
// complete. Takes the time by process: the longest quarter does not count, as a process may lose its core between two
// calls.
bool overlaps_nothing(std::vector<double> overlapped_ns, double completing_ns);

// Whether a rank sends to the next partner only when it has received from the one before, as in the stages of a
// reduction: nearly all ranks, nearly always.
bool in_stages(const std::vector<uint32_t>& sites, const Step& step);

// Whether the messages of one exchange answer those of the other: at least half of the time a rank sends to the one it
// has just received from. True if the step has none of them.
bool replies(const std::vector<uint32_t>& asking, const std::vector<uint32_t>& answering, const Step& step);

Ordering ordering_of(const Exchange& exchange, const Step& step, const RunTime& time,
                     const ComputationBetween& computation);

}  // namespace leadline::analysis
