// Exchanges with the same partners one after another, each completed before the next, that could be one: the halos of
// several fields.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/computation_between.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"

namespace leadline::analysis {

// dependent: call sites of exchanges whose messages wait for one another.
std::vector<Pattern> consecutive_exchanges(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                           const SourcePlaces& places, const std::set<uint32_t>& dependent);

}  // namespace leadline::analysis
