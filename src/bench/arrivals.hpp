// When each rank arrives at an operation: how long after the start that was announced.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/plan.hpp"

namespace leadline::bench {

class Arrivals {
 public:
  // patterns: a point's own, in microseconds by rank; they take turns. Without any, ranks come at random within the
  // plan's skew, of which the last one comes at the end. Every candidate of a round sees the same delays.
  Arrivals(const Plan& plan, const std::vector<std::vector<double>>& patterns, int rank, int size);

  int64_t delay_ns(int round) const;    // of this rank
  int64_t longest_ns(int round) const;  // of the rank that comes last

 private:
  int64_t skew_ns() const { return int64_t(plan_.skew_us * 1e3); }

  const Plan& plan_;
  const std::vector<std::vector<double>>& patterns_;
  int rank_, size_;
};

}  // namespace leadline::bench
