// An exchange: call sites whose messages belong together (find_exchanges.hpp), and the shape of who sends to whom.
#pragma once

#include <algorithm>
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

// The order of calls: in a step of the main loop, in others that send what it does not, and at the start of the run.
struct Steps {
  Step iteration, first_calls;
  std::vector<Step> others;
  // Calls that occur only in some iterations may be missing from the first one that was read, and so are ranks that
  // count the iterations of another loop.
  const Step& of(const Exchange& e) const {
    if (all_take_part(iteration, e) || !all_take_part(first_calls, e)) {
      if (has(iteration, e)) return iteration;
      for (const Step& other : others) {
        if (has(other, e)) return other;
      }
    }
    return first_calls;
  }
  // It was read in one iteration.
  bool of_iteration(const Exchange& e) const { return &of(e) != &first_calls; }

 private:
  static bool all_take_part(const Step& step, const Exchange& e) {
    return std::all_of(e.edges.begin(), e.edges.end(), [&step](const GraphEdge& edge) {
      return step.processes.count(edge.from) && step.processes.count(edge.to);
    });
  }
  static bool has(const Step& step, const Exchange& e) {
    return std::any_of(e.sites.begin(), e.sites.end(),
                       [&step](uint32_t s) { return step.sent_at.count(s) || step.operated_at.count(s); });
  }
};

}  // namespace leadline::analysis
