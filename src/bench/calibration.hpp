// What leadline calibrate measures, in turns, as far as the time allows; python/leadline/calibration fits the
// parameters of a network to it. Rank 0 gets lines:
//
//   place RANK NODE SOCKET CORE_COMPLEX
//   pair DISTANCE RANK RANK
//   eager DISTANCE BYTES                        -1: not even an empty message
//   asked DISTANCE QUESTION BYTES NS...         a figure for each turn; questions: pair.hpp
//   flows DISTANCE PAIRS BYTES NS...            of one of all messages of several pairs at once
//   memory KIND BYTES NS...                     of one of: copy, strided, reduction; on all ranks at once; or of one
//   flag
#pragma once

#include <string>
#include <vector>

#include "bench/job.hpp"

namespace leadline::bench {

// Collective. seconds: for all of it, roughly. The lines are at rank 0. Of one rank, or of ranks that share cores, only
// places are found.
std::vector<std::string> calibrate(const Job& job, double seconds);

}  // namespace leadline::bench
