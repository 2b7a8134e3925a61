// Imbalance of computation: what is lost in a step because one rank computes longer than the others, and whether it is
// always the same one.
#pragma once

#include <vector>

#include <string>

#include "analysis/waits/waits.hpp"

namespace leadline::analysis {

struct StepComputation {
  uint64_t iteration = 0;
  std::vector<double> ns;  // by process; negative: the process is not in the step
};

// `hosts`: by process.
Imbalance imbalance_of(const std::vector<StepComputation>& steps, const std::vector<std::string>& hosts);

// Adds the steps that took far longer than usual. The others, of which some were looked at, stand for the rest of all
// `count` steps; these stand for themselves.
void add_slow_steps(const std::vector<StepComputation>& slow, uint64_t count, Imbalance* of_others);

}  // namespace leadline::analysis
