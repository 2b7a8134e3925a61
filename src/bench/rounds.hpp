// Measures the candidates of a point against one another, and several points in turn. Other work on the machine changes
// within seconds, and a point measured in one go would be affected at random.
//
// In a round every candidate runs once, in random order. Rank 0 announces the instant at which the round begins. Each
// candidate has a window of the round, so the ranks start together without another message. If a rank reaches a start
// too late, the sample is late and is dropped. If ranks share cores they cannot start together, so late samples are
// only counted. The time is from the start (of the last rank, if arrival is skewed) to the end on the last rank.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/candidate.hpp"

namespace leadline::bench {

struct Samples {
  std::string problem;  // why there are none; empty otherwise
  bool correct = true;  // on every rank, in every round
  int repeat = 1;       // operations timed in a row
  int late = 0;
  int64_t tolerance_ns = 0;         // of a start
  std::vector<double> ns;           // of one operation, by round; negative: late
  std::vector<int64_t> soonest_ns;  // by rank: how long after the start it began, at the least in all rounds
};

// The problem of points that had no time in the plan's `within`. (python/leadline/bench/launching.py knows it.)
constexpr const char* no_time = "no time was left";

// Called at rank 0 before something might hang, with a point, by its place in the plan, and a candidate.
using Announce = void (*)(int point, int candidate);
// Called at rank 0 with each candidate's samples.
using Report = void (*)(int point, int candidate, const Samples& samples);

// Every point of the plan. `before_turn`: on all ranks before points have their next turn.
void measure_points(const Job& job, const Plan& plan, const std::function<void()>& before_turn, Announce announce,
                    Report report);

}  // namespace leadline::bench
