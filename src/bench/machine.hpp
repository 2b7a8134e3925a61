// The machine while the ranks run on it: the time it takes from them, and the speed of its network.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/job.hpp"
#include "network/measured.hpp"

namespace leadline::bench {

// A fixed piece of work, repeated: time beyond that of its fastest run went to something else.
struct Noise {
  double median_us = 0, p99_us = 0, longest_us = 0;
  double lost = 0;         // share of the time: 1 - fastest x pieces / all
  double interrupted = 0;  // pieces per second that took twice as long as the median
};

// On all ranks at once; rank 0 gets those of all.
std::vector<Noise> measure_noise(const Job& job);

// Time that this thread was ready to run and something else had its core.
class Waiting {
 public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  // Nanoseconds since it was last asked; 0 where the kernel does not say.
  int64_t more_ns();

 private:
  int file_;
  int64_t before_ = 0;
};

// At rank 0: messages between ranks 0 and 1, and MPI_Reduce_local. Without messages where there is one rank only.
network::Measured measure_network(const Job& job);

}  // namespace leadline::bench
