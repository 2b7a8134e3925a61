// Call sites that belong together by what their calls do: a send and the receive of its messages, a request and the
// call that completes it, a one-sided operation and the synchronisation that completes it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/patterns/exchanges/site_traffic.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

struct SourcePlaces;
struct Steps;

struct SiteSet {
  std::vector<uint32_t> sites;  // ascending
  bool sends = false;           // messages or one-sided operations
  bool in_main_loop = false;
  bool one_sided = false;  // messages and one-sided operations are never in one set
};

std::vector<SiteSet> sets_of_sites(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                   const SourcePlaces& places);

}  // namespace leadline::analysis
