// What the order of calls in one step says of an exchange (order.hpp, operation_order.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace leadline::analysis {

struct Ordering {
  bool known = false;  // the step has messages of the exchange
  bool timed = false;  // and their times; if not, what depends on times is 0
  uint64_t messages = 0;
  // Of the ranks between two others in a grid or ring: the share that sends on only after it received from the other
  // side, each time; how many such ends the step has; and the usual time between the two.
  double passes_on = 0;
  uint64_t between = 0;
  double passing_ns = 0;
  // Messages from one rank to another that nothing the sender received came between, or one-sided operations at one
  // target that no synchronisation came between, either: the usual number of them in a row. Computation divides
  // messages, too. And the number for the pair of ranks that has fewest.
  uint64_t together = 1, together_least = 1;
  // The longest chain of messages of which each waits for the one before: if every send waits for its receive, if all
  // receives were posted first, and if no send waits. 0 of the first: no order of events lets all calls return.
  bool blocking_sends = false;
  uint64_t chain = 0, chain_posted = 0, chain_buffered = 0;
  // In the iteration, every rank exchanges with one other at most.
  bool in_pairs = false;
  // Between posting messages and completing them, all ranks together; and in the calls that complete them.
  bool nonblocking = false;
  double overlapped_ns = 0, completing_ns = 0;
  std::vector<double> overlapped_by_process;
  // Messages of at least `large_bytes` that were sent before their receive was posted.
  static constexpr int64_t large_bytes = 1 << 16;
  uint64_t large = 0, large_unexpected = 0;
};

}  // namespace leadline::analysis
