// The time of a schedule in a network model.
#pragma once

#include <span>

#include "collectives/schedule.hpp"
#include "network/network.hpp"

namespace leadline::collectives {

// Nanoseconds until the last rank is done, all starting at 0; negative: the schedules don't end, or call the library's
// own operation, or no link of the network is known. `schedules` are those of ranks 0, 1, ...
double modelled_ns(std::span<const Schedule> schedules, int64_t element_bytes, const network::Network& network,
                   const network::Places& places = {});

}  // namespace leadline::collectives
