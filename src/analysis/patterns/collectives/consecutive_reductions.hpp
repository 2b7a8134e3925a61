// Reductions one after another that could be one: on one communicator, with little computation and no other call
// between them.
#pragma once

#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"

namespace leadline::analysis {

std::vector<Pattern> consecutive_reductions(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                            const SourcePlaces& places);

}  // namespace leadline::analysis
