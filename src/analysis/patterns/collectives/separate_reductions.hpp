// Loops that make several short reductions in each iteration, apart from one another, exchange messages once, and
// do no more: perhaps a solver by conjugate gradients, which can be rearranged so that one reduction carries the values
// of all.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"

namespace leadline::analysis {

// in_a_row: the call sites of reductions in a row within one loop, which are another pattern.
std::vector<Pattern> separate_reductions(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                         const std::set<uint32_t>& in_a_row);

}  // namespace leadline::analysis
