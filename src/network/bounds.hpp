// The least time that a collective can take, whatever the algorithm.
#pragma once

#include "network/network.hpp"

namespace leadline::network {

// Who has data before the operation, or has it afterwards, and how many blocks of it: one, or one for each rank.
struct Side {
  bool root_only = false;
  bool block_per_rank = false;
};

// The data of a collective. Blocks are of equal length.
struct Movement {
  Side contributed, received;
  bool reduced = false;  // blocks of all ranks are put together into one
  bool prefix = false;   // of the ranks before each rank only
  bool has_data = true;  // false: ranks only wait for one another, whatever the bytes
};

// ceil(log_radix processes): the rounds until all know of one, if each informs radix - 1 others in a round.
int rounds_at_least(int processes, int radix);

// Each is a bound by itself, so the greatest of them is one, too; their sum is not.
struct Bound {
  double latency_ns = 0;      // until all could have heard of one rank, in messages of nothing
  double bandwidth_ns = 0;    // until the busiest port has let through what it must, after a first message's latency
  double computation_ns = 0;  // reductions, shared evenly
  double ns() const { return std::max({latency_ns, bandwidth_ns, computation_ns}); }
};

// Latency: Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993; it is
// rounds_at_least(p, 2) messages where a rank sends one at a time. Bandwidth and computation: Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007, table 1.
Bound lower_bound(const Movement& movement, int processes, int64_t block_bytes, const Network& network);

}  // namespace leadline::network
