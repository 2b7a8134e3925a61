// The lower bound of a collective, and the time of a schedule, in a LogGP-like network. A rank starts or ends a message
// in `overhead`. Each of its two ports, one out and one in, is busy for `gap` and `per_byte` with a message, which
// arrives `latency` after it left. Messages above `eager_bytes` leave when the receiver is known to wait for them,
// which takes two more latencies. Source: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995.
#pragma once

#include <span>

#include "collectives/schedule.hpp"

namespace leadline::collectives {

// Seconds, or seconds per byte.
struct Network {
  double latency = 0, overhead = 0, gap = 0, per_byte = 0;
  double reduce_per_byte = 0, copy_per_byte = 0;
  int64_t eager_bytes = INT64_MAX;

  double message(int64_t bytes) const { return 2 * overhead + latency + busy(bytes); }
  double busy(int64_t bytes) const { return gap + per_byte * static_cast<double>(bytes); }
};

// ceil(log_radix processes): the rounds until all know of one, if each informs radix - 1 others in a round.
int rounds_at_least(int processes, int radix);

// Each is a bound for itself, so the greatest of them is one too; their sum isn't.
struct Bound {
  double latency = 0;      // until all could have heard of one rank, in messages of nothing
  double bandwidth = 0;    // until the busiest port has let through what it must, after a first message's latency
  double computation = 0;  // reductions, shared evenly
  double seconds() const;
};

// Latency: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993; it is
// rounds_at_least(p, 2) messages where a rank sends one at a time. Bandwidth and computation: Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007, table 1.
Bound lower_bound(Operation operation, int processes, int64_t bytes, const Network& network);

// Where ranks of a node have a network of their own.
struct Nodes {
  const int* node_of;  // by rank
  Network within;
};

// Seconds until the last rank is done, all starting at 0; negative: the schedules don't end, or call the library's own
// operation. `schedules` are those of ranks 0, 1, ...
double modelled_seconds(std::span<const Schedule> schedules, int64_t element_bytes, const Network& network,
                        const Nodes* nodes = nullptr);

}  // namespace leadline::collectives
