// How much of what a thread computes before its calls belongs to each of the loops around them.
//
// The trace has the sum over all calls of a site. Before a call that enters a loop comes what follows the last call in
// an earlier visit to it, or what prepares the loop, besides what the loop's first iteration computes before its call.
// The latter is taken to be what other iterations compute between two of their calls at most; the rest is not the
// loop's. The calls whose times were kept tell the means, the loop tree tells how often a loop is entered.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/loop_tree.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// Calls at a site that are the first ones in the loop after control has entered it.
struct FirstCalls {
  uint32_t loop = 0, site = 0;
  uint64_t times = 0;
};
std::vector<FirstCalls> first_calls(const LoopTree& tree);  // ascending by loop and site

// Of the computation before a site's calls, the share within the loop; 1 wherever it is left out.
struct GapShare {
  uint32_t site = 0, loop = 0;
  double share = 1;
};
// Ascending by site; each site's loops from the inside outwards. A loop has at least as much as any within it.
std::vector<GapShare> gap_shares(const trace::Stream& stream, const std::vector<FirstCalls>& first);

}  // namespace leadline::structure
