// Imbalance of computation: what is lost in a step because one rank computes longer than the others, and whether it is
// always the same one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace leadline::analysis {

struct Imbalance {
  bool found = false;
  double computation_ns = 0;  // of a rank in a step: mean
  double lost_ns = 0;         // in a step: what the rank that computes longest exceeds the mean by, on average
  // Parts of it: the same ranks in every step; ranks that change slowly; the rest, which is more than noise would be,
  // or may be noise.
  double fixed_ns = 0, wandering_ns = 0, changing_ns = 0, noise_ns = 0;
  // Another part: a few steps that took far longer than usual, which stand for themselves. A period: they come every so
  // many steps; 0: they have none.
  double rare_ns = 0;
  uint64_t rare_steps = 0, rare_period = 0;
  double between_hosts = 0;  // share of the fixed part that differs between hosts, not within them
  std::vector<std::pair<uint32_t, double>> slowest;  // processes and their computation beside the mean: a ratio
};

struct StepComputation {
  uint64_t iteration = 0;
  std::vector<double> ns;  // by process; negative: the process is not in the step
};

// `hosts`: by process.
Imbalance imbalance_of(const std::vector<StepComputation>& steps, const std::vector<std::string>& hosts);

// Adds the steps that took far longer than usual. The others are a sample of the rest of all `count` steps; these are
// not scaled.
void add_slow_steps(const std::vector<StepComputation>& slow, uint64_t count, Imbalance* of_others);

}  // namespace leadline::analysis
