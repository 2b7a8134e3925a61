#include "bench/arrivals.hpp"

#include <algorithm>

#include "bench/mixed.hpp"

namespace leadline::bench {

Arrivals::Arrivals(const Plan& plan, const std::vector<std::vector<double>>& patterns, int rank, int size)
    : plan_(plan), patterns_(patterns), rank_(rank), size_(size) {}

int64_t Arrivals::delay_ns(int round) const {
  if (!patterns_.empty()) {
    const std::vector<double>& pattern = patterns_[std::size_t(round) % patterns_.size()];
    return std::size_t(rank_) < pattern.size() ? int64_t(pattern[rank_] * 1e3) : 0;
  }
  if (plan_.skew_us <= 0) return 0;
  const uint64_t of_round = mixed(plan_.seed * 7919 + uint64_t(round));
  if (int(of_round % uint64_t(size_)) == rank_) return skew_ns();
  return int64_t(double(mixed(of_round + uint64_t(rank_)) >> 11) * 0x1p-53 * double(skew_ns()));
}

int64_t Arrivals::longest_ns(int round) const {
  if (patterns_.empty()) return skew_ns();
  const std::vector<double>& pattern = patterns_[std::size_t(round) % patterns_.size()];
  return pattern.empty() ? 0 : int64_t(*std::max_element(pattern.begin(), pattern.end()) * 1e3);
}

}  // namespace leadline::bench
