// Patterns of single call sites: barriers that order nothing, loops bound by allreduce, polling.
#pragma once

#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/collectives/file_order.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/site_traffic.hpp"

namespace leadline::analysis {

void patterns_of_sites(const Profile& profile, const RunTraffic& traffic, const FileOrder& files,
                       const SourcePlaces& places, std::vector<Pattern>* found);

}  // namespace leadline::analysis
