// An exchange: call sites whose messages belong together (find_exchanges.hpp), and the shape of who sends to whom.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/patterns/exchanges/shape.hpp"
#include "analysis/patterns/exchanges/site_traffic.hpp"

namespace leadline::analysis {

// By call site: the routines that lead to it as numbers, outermost first.
using RoutinePaths = std::vector<std::vector<uint32_t>>;

// What is known of the call sites' places in the source.
struct SourcePlaces {
  RoutinePaths paths;
  std::vector<uint32_t> lines;  // sites of one line and path have one number: a compiler may have copied the call
};

struct Exchange {
  std::vector<uint32_t> sites;  // ascending: sends, receives and completions; or operations and synchronisations
  bool one_sided = false;
  std::set<Access> accesses;  // of one-sided operations
  bool in_main_loop = false;
  std::vector<uint32_t> path;    // the routines that all sites have in common
  std::vector<GraphEdge> edges;  // nodes: processes
  Shape shape;
  uint64_t groups = 1;  // of ranks that do not communicate with each other, each with this shape
  uint64_t messages = 0;
  int64_t bytes = 0;
  bool wildcards = false;
};

// The order of calls: in a step of the main loop, and at the start of the run.
struct Steps {
  Step iteration, first_calls;
  // Calls that occur only in some iterations may be missing from the one that was read.
  const Step& of(const Exchange& e) const {
    for (const uint32_t s : e.sites) {
      if (iteration.sent_at.count(s) || iteration.operated_at.count(s)) return iteration;
    }
    return first_calls;
  }
};

}  // namespace leadline::analysis
