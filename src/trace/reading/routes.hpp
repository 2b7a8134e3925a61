// Where following a graph's edges leads, and how much lies on the way: any number of steps at once.
//
// Each node has one edge to the node that follows it. The graph falls into *trails*: a trail goes on until it ends,
// meets another trail, or meets itself, which closes a cycle. Sums along the trails answer for any part of a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leadline::trace {

class Routes {
 public:
  static constexpr uint64_t closed = UINT64_MAX;  // the weight of an edge that cannot be passed

  // By node: the node it leads to, and the weight of that step, at least 1.
  Routes() = default;
  Routes(const std::vector<uint32_t>& next, const std::vector<uint64_t>& weight);

  struct Path {
    uint32_t end = 0;
    uint64_t steps = 0;  // fewer than asked for if an edge is closed or the path would get too heavy
    uint64_t weight = 0;
  };
  // The path of at most that many steps and that weight.
  Path path(uint32_t from, uint64_t steps, uint64_t most_weight = UINT64_MAX) const;

  // The number of steps from the node until it comes again; 0: it is on no cycle.
  uint64_t cycle(uint32_t node) const;

 private:
  friend class RouteCounts;
  struct Trail {
    size_t first = 0, last = 0;  // of places
    uint32_t meets = 0;          // the node after the last one, if `goes_on`
    bool goes_on = false;
    size_t closes = SIZE_MAX;  // the place that the trail comes back to
    uint64_t last_weight = 0;  // of the edge from the last node
  };
  const Trail& trail_of(uint32_t node) const { return trails_[trail_[node]]; }
  uint64_t cycle_weight(const Trail& t) const;

  std::vector<Trail> trails_;
  std::vector<uint32_t> trail_;    // by node
  std::vector<size_t> place_;      // by node
  std::vector<uint32_t> nodes_;    // by place; a trail's places follow one another
  std::vector<uint64_t> weights_;  // by place: from the trail's first node to this one
};

// How often each edge was passed.
class RouteCounts {
 public:
  explicit RouteCounts(const Routes& routes) : routes_(&routes), changes_(routes.nodes_.size() + 1) {}
  // A path that was found, passed so many times.
  void add(uint32_t from, uint64_t steps, uint64_t times);
  // By node, of the edge from it.
  std::vector<uint64_t> edges() const;

 private:
  void range(size_t first, size_t end, uint64_t times);  // edges from the places [first, end)

  const Routes* routes_;
  std::vector<uint64_t> changes_;  // by place, of the count; modulo 2^64
};

}  // namespace leadline::trace
