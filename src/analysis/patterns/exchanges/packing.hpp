// Messages of one exchange, or one-sided operations, that could be one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/computation_between.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/ordering.hpp"

namespace leadline::analysis {

class Packing {
 public:
  using Sends = std::vector<std::pair<uint32_t, int64_t>>;  // calls of the step, in order, and the bytes of each
  // Larger messages gain nothing by travelling together.
  static constexpr int64_t most_bytes = 1 << 18;

  Packing(const Profile& profile, const RunTraffic& traffic, const Steps& steps, const ComputationBetween& computation);
  // dependent: messages of the exchange wait for one another.   each: messages to a partner in a step.
  // exchange: the pattern's sites and amounts, to be completed.
  std::optional<Pattern> messages(const Exchange& e, const Ordering& o, bool dependent, double each,
                                  Pattern exchange) const;

 private:
  uint64_t in_a_row(const Exchange& e, const Ordering& o) const;
  bool may_wait_for_memory(const Exchange& e) const;
  std::vector<uint32_t> repeating_loops(const Exchange& e) const;
  uint32_t outermost_loop(const Exchange& e, const SiteTraffic& site, uint64_t messages) const;
  bool of_several_grids(const Exchange& e, uint32_t site) const;
  bool computes_between(const Step& step, const std::map<SiteTraffic::Edge, Sends>& sends, int64_t bytes) const;
  bool may_be_the_step(uint32_t loop, int64_t bytes) const;
  bool has_other_messages(const Exchange& e, uint32_t outer, uint32_t inner) const;
  bool has_unlike_iterations(uint32_t loop) const;
  bool passes_on(uint32_t loop, int64_t bytes) const;
  uint64_t fixed_iterations(uint32_t loop) const;
  bool collective_within(uint32_t loop) const;

  const Profile& profile_;
  const RunTraffic& traffic_;
  const Steps& steps_;
  const ComputationBetween& computation_;
  std::vector<uint32_t> loop_of_site_;
};

}  // namespace leadline::analysis
