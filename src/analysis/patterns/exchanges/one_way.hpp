// Exchanges whose messages go one way only: what one side spends longer in its calls than the other is waiting,
// whatever the messages' length, as buffers between ranks are finite.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/pattern.hpp"
#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/patterns/exchanges/site_traffic.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

struct OneWay {
  static constexpr uint32_t none = UINT32_MAX;
  double sending_ns = 0, receiving_ns = 0;  // in the exchange's calls
  uint32_t receiver = none;                 // the only process that receives
  bool uses_files = false;                  // the receiver does, in the loop that it receives in

  PatternEvidence evidence() const;
};

// Nothing if a rank both sends and receives, or if it is unknown where they receive.
std::optional<OneWay> one_way(const Profile& profile, const RunTraffic& traffic, const SourcePlaces& places,
                              const Exchange& exchange);

}  // namespace leadline::analysis
