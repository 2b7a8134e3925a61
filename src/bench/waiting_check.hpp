// Whether an operation without data does what it is for: nobody leaves before the last has come.
#pragma once

#include "bench/candidate.hpp"

namespace leadline::bench {

// Runs it a few times, each with another rank that comes late. Collective; all ranks get the same answer.
bool all_wait_for_the_last(const Job& job, Candidate* candidate);

}  // namespace leadline::bench
