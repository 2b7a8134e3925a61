// The names of exchanges: from their shape, from the order of their calls, and from the loops they are made in.
#pragma once

#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"

namespace leadline::analysis {

void patterns_of_exchanges(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                           const SourcePlaces& places, const std::vector<Exchange>& exchanges,
                           std::vector<Pattern>* found);

}  // namespace leadline::analysis
