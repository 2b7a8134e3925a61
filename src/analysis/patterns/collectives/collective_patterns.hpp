// Patterns of nonblocking collectives, from the order of calls in a step.
#pragma once

#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

void patterns_of_collectives(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                             std::vector<Pattern>* found);

}  // namespace leadline::analysis
