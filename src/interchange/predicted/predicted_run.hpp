// A prediction as a run: what the ranks would have recorded.
//
// The changed tree is replayed whole, with the times of each call. Then each rank is written as the recorder would have
// done it: calls that no change touched as they were recorded, at other times, and those that a change made as it made
// them. Not written: what the replay leaves out, which are further threads and polls that found nothing.
#pragma once

#include <cstdint>

#include "interchange/predicted/rank.hpp"
#include "replay/recorded.hpp"
#include "replay/replay.hpp"

namespace leadline::interchange::predicted {

// Calls that are held at once, at 32 bytes each.
inline constexpr uint64_t most_calls = 20'000'000;

// How many calls a replay of the tree has, over all ranks.
uint64_t calls_of(const replay::Tree& tree, const replay::Settings& settings);

class PredictedRun {
 public:
  // Replays the tree.   recorded: outlives it.   Its outcome may be that ranks wait for each other.
  PredictedRun(const replay::Recorded& recorded, const replay::Tree& tree, replay::Settings settings);
  const replay::Outcome& outcome() const { return outcome_; }

  // process: the rank's, as recorded.   Each rank once.
  Written write(const Rank& rank, const trace::Process& process, const calls::RunNumbers& numbers);

 private:
  const replay::Recorded& recorded_;
  const replay::Tree before_, now_;
  const uint64_t steps_;
  const bool last_stays_;
  replay::Outcome outcome_;
};

}  // namespace leadline::interchange::predicted
