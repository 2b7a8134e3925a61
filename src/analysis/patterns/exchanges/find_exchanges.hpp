// Which call sites' messages belong together.
//
// A send belongs to the receive of its messages, a request to the call that completes it, a one-sided operation to the
// synchronisation that completes it. One-sided operations and messages are never one exchange. Where a part of a shape
// is found in one routine and its other parts beside it (each direction of a halo has a send of its own), the parts are
// one exchange if together they are a shape. Equal shapes in one routine are one exchange too: a routine that exchanges
// one field after another.
#pragma once

#include <vector>

#include "analysis/patterns/exchanges/exchange.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

std::vector<Exchange> exchanges_of(const Profile& profile, const RunTraffic& traffic, const Steps& steps,
                                   const SourcePlaces& places);

}  // namespace leadline::analysis
