// The job that a run's directory belongs to: the file job.json in it, written in one step by the first rank to arrive.
// It also holds the batch system's description of the job.
#pragma once

#include <cstdint>

#include "recorder/job/job.hpp"

namespace leadline::recorder {

enum class Claim : uint8_t { ours, of_another, failed };

// Failed: the directory can't be written to.
Claim claim_directory(const char* directory, const Job& job);

}  // namespace leadline::recorder
