// A network from measured times.
#pragma once

#include "network/network.hpp"

namespace leadline::network {

struct Cost {
  int64_t bytes;
  int64_t ns;  // of the fastest
};

struct Measured {
  std::vector<Cost> messages;    // one way, between two ranks
  std::vector<Cost> reductions;  // of a sum of doubles, in memory
};

// The most favourable network that the times allow, because a bound must not be too high: the fastest small message is
// the gap, and the best rates of any large message and of any reduction are the times of a byte. False: there are no
// messages of both kinds.
bool most_favourable(const Measured& measured, Network* network);

}  // namespace leadline::network
