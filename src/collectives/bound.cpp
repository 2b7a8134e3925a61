#include "collectives/bound.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace leadline::collectives {

namespace {

using Times = std::priority_queue<double, std::vector<double>, std::greater<>>;

// Every rank that knows informs others, one after another. The result is when the p - 1st hears of it.
double time_to_tell(int processes, const Network& network) {
  const double between = std::max(network.overhead, network.gap), message = network.message(0);
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

}  // namespace

int rounds_at_least(int processes, int radix) {
  int rounds = 0;
  for (int64_t reached = 1; reached < processes; reached *= radix) ++rounds;
  return rounds;
}

double Bound::seconds() const { return std::max({latency, bandwidth, computation}); }

Bound lower_bound(Operation operation, int processes, int64_t bytes, const Network& network) {
  if (processes < 2 || bytes == 0) return {};
  const double p = processes, n = static_cast<double>(bytes);
  const bool reduces = operation != Operation::broadcast;
  Bound bound;
  bound.latency = time_to_tell(processes, network);
  // An allreduce moves 2 (p - 1) n bytes in all: some port sees a p-th of that.
  const double through = operation == Operation::allreduce ? 2 * n * (p - 1) / p : n;
  bound.bandwidth = network.message(0) + through * network.per_byte;
  bound.computation = reduces ? n * (p - 1) / p * network.reduce_per_byte : 0;
  return bound;
}

}  // namespace leadline::collectives
