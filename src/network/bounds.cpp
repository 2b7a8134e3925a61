#include "network/bounds.hpp"

#include <functional>
#include <queue>

namespace leadline::network {

namespace {

using Times = std::priority_queue<double, std::vector<double>, std::greater<>>;

// Every rank that knows informs others, one after another. The result is when the p - 1st hears of it.
double time_to_tell(int processes, const Piece& piece) {
  const double between = std::max(piece.overhead_ns, piece.gap_ns), message = piece.message_ns(0);
  Times arrivals;
  arrivals.push(message);
  double last = 0;
  for (int told = 1; told < processes; ++told) {
    last = arrivals.top();
    arrivals.pop();
    arrivals.push(last + between);  // by the rank that informed this one
    arrivals.push(last + message);  // by this one
  }
  return last;
}

// Bytes that the busiest port has to let through.
double through(const Movement& movement, double p, double block) {
  if (movement.contributed.block_per_rank || movement.received.block_per_rank) return (p - 1) * block;
  if (movement.prefix) return block;
  // An allreduce moves 2 (p - 1) blocks in total: some port moves at least a p-th of that.
  if (movement.reduced && !movement.received.root_only) return 2 * block * (p - 1) / p;
  return block;
}

}  // namespace

int rounds_at_least(int processes, int radix) {
  int rounds = 0;
  for (int64_t reached = 1; reached < processes; reached *= radix) ++rounds;
  return rounds;
}

Bound lower_bound(const Movement& movement, int processes, int64_t block_bytes, const Network& network) {
  if (processes < 2) return {};
  if (!movement.has_data) return {.latency_ns = time_to_tell(processes, network.most_favourable())};
  if (block_bytes == 0) return {};
  const double p = processes, block = static_cast<double>(block_bytes);
  const Piece piece = network.most_favourable();
  Bound bound;
  bound.latency_ns = time_to_tell(processes, piece);
  bound.bandwidth_ns = piece.message_ns(0) + through(movement, p, block) * piece.per_byte_ns;
  const double contributed = movement.contributed.block_per_rank ? p * block : block;
  const double combined = movement.prefix ? p - 2 : p - 1;  // pairs, of each element: MPI_Exscan needs one less
  bound.computation_ns = movement.reduced ? contributed * combined / p * network.reduce_per_byte_ns : 0;
  return bound;
}

}  // namespace leadline::network
