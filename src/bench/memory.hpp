// What a rank does with its own memory while the others do the same: copies and reductions; and how soon it sees what
// another one of its node has written.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/job.hpp"

namespace leadline::bench {

struct MemoryCost {
  const char* kind;  // copy, strided (8 bytes of every 1 KiB), reduction (doubles), or flag
  int64_t bytes;
  std::vector<double> ns;  // of a pass over them, by turn; of the slowest rank
};

// Collective; at rank 0.
std::vector<MemoryCost> measure_memory(const Job& job, double seconds);

}  // namespace leadline::bench
