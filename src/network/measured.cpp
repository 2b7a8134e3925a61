#include "network/measured.hpp"

namespace leadline::network {

namespace {

constexpr int64_t large = 65536;  // from which a message's time says something about the bandwidth

}  // namespace

bool most_favourable(const Measured& measured, Network* network) {
  int64_t least = INT64_MAX;
  bool any_large = false;
  for (const Cost& cost : measured.messages) {
    if (cost.bytes < large) least = std::min(least, cost.ns);
    any_large = any_large || cost.bytes >= large;
  }
  if (least == INT64_MAX || !any_large) return false;
  Piece piece;
  piece.gap_ns = static_cast<double>(least);
  piece.per_byte_ns = -1;
  for (const Cost& cost : measured.messages) {
    if (cost.bytes < large) continue;
    const double rate = static_cast<double>(std::max<int64_t>(cost.ns - least, 0)) / static_cast<double>(cost.bytes);
    piece.per_byte_ns = piece.per_byte_ns < 0 ? rate : std::min(piece.per_byte_ns, rate);
  }
  *network = Network::uniform(piece);
  bool first = true;
  for (const Cost& cost : measured.reductions) {
    if (!cost.bytes) continue;
    const double rate = static_cast<double>(cost.ns) / static_cast<double>(cost.bytes);
    network->reduce_per_byte_ns = first ? rate : std::min(network->reduce_per_byte_ns, rate);
    first = false;
  }
  return true;
}

}  // namespace leadline::network
