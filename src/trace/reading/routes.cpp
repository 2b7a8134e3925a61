#include "trace/reading/routes.hpp"

#include <algorithm>

#include "trace/saturating.hpp"

namespace leadline::trace {

Routes::Routes(const std::vector<uint32_t>& next, const std::vector<uint64_t>& weight)
    : trail_(next.size(), UINT32_MAX), place_(next.size()) {
  nodes_.reserve(next.size());
  weights_.reserve(next.size());
  for (uint32_t start = 0; start < next.size(); ++start) {
    if (trail_[start] != UINT32_MAX) continue;
    const auto number = static_cast<uint32_t>(trails_.size());
    Trail t;
    t.first = nodes_.size();
    uint64_t sum = 0;
    for (uint32_t n = start;;) {
      trail_[n] = number;
      place_[n] = nodes_.size();
      nodes_.push_back(n);
      weights_.push_back(sum);
      if (weight[n] == closed || next[n] >= next.size()) break;
      const uint32_t to = next[n];
      if (trail_[to] != UINT32_MAX) {
        t.goes_on = true;
        t.meets = to;
        t.last_weight = weight[n];
        if (trail_[to] == number) t.closes = place_[to];
        break;
      }
      sum = saturating_sum(sum, weight[n]);
      n = to;
    }
    t.last = nodes_.size() - 1;
    trails_.push_back(t);
  }
}

uint64_t Routes::cycle_weight(const Trail& t) const {
  return saturating_sum(weights_[t.last] - weights_[t.closes], t.last_weight);
}

uint64_t Routes::cycle(uint32_t node) const {
  const Trail& t = trail_of(node);
  return t.closes != SIZE_MAX && place_[node] >= t.closes ? t.last - t.closes + 1 : 0;
}

Routes::Path Routes::path(uint32_t from, uint64_t steps, uint64_t most_weight) const {
  Path p;
  p.end = from;
  uint64_t left = most_weight;
  const auto pass = [&](uint64_t n, uint64_t weight) {
    p.steps += n;
    p.weight = saturating_sum(p.weight, weight);
    left -= weight;
  };
  while (p.steps < steps) {
    const Trail& t = trail_of(p.end);
    const size_t here = place_[p.end];
    // Along the trail.
    size_t to = here + static_cast<size_t>(std::min<uint64_t>(steps - p.steps, t.last - here));
    if (weights_[to] - weights_[here] > left) {
      const auto first = weights_.begin() + static_cast<std::ptrdiff_t>(here);
      const auto too_heavy = std::upper_bound(first, weights_.begin() + static_cast<std::ptrdiff_t>(to),
                                              saturating_sum(weights_[here], left));
      to = static_cast<size_t>(too_heavy - weights_.begin()) - 1;
      pass(to - here, weights_[to] - weights_[here]);
      p.end = nodes_[to];
      break;
    }
    pass(to - here, weights_[to] - weights_[here]);
    p.end = nodes_[to];
    if (p.steps == steps || to != t.last || !t.goes_on) break;
    // Round the cycle, back to the trail's end.
    if (t.closes != SIZE_MAX) {
      const uint64_t length = t.last - t.closes + 1, weight = cycle_weight(t);
      const uint64_t cycles = std::min((steps - p.steps) / length, left / weight);
      pass(cycles * length, saturating_product(cycles, weight));
      if (p.steps == steps) break;
    }
    if (t.last_weight > left) break;
    pass(1, t.last_weight);
    p.end = t.meets;
  }
  return p;
}

void RouteCounts::range(size_t first, size_t end, uint64_t times) {
  changes_[first] += times;
  changes_[end] -= times;
}

void RouteCounts::add(uint32_t from, uint64_t steps, uint64_t times) {
  while (steps) {
    const Routes::Trail& t = routes_->trail_of(from);
    const size_t here = routes_->place_[from];
    const auto along = static_cast<size_t>(std::min<uint64_t>(steps, t.last - here));
    range(here, here + along, times);
    steps -= along;
    if (!steps || !t.goes_on) return;
    if (t.closes != SIZE_MAX) {
      const uint64_t length = t.last - t.closes + 1, cycles = steps / length;
      range(t.closes, t.last + 1, cycles * times);
      steps -= cycles * length;
      if (!steps) return;
    }
    range(t.last, t.last + 1, times);
    --steps;
    from = t.meets;
  }
}

std::vector<uint64_t> RouteCounts::edges() const {
  std::vector<uint64_t> counts(routes_->nodes_.size());
  uint64_t now = 0;
  for (size_t place = 0; place < counts.size(); ++place) {
    now += changes_[place];
    counts[routes_->nodes_[place]] = now;
  }
  return counts;
}

}  // namespace leadline::trace
