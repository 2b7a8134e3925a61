// The plan of one launch, as `leadline bench` writes it, one item a line:
//
//   leadline-bench 1
//   rounds 50                  of each point, at most
//   seconds 2.5                of each point, at most (but always a few rounds); after a point: of that one
//   within 0                   seconds for all points: those that cannot begin by then are left out; 0: no limit
//   repeat 0                   operations in a row in each sample; 0: as many as the operation needs
//   skew_us 0                  each rank arrives up to this much late, at random
//   start announced|barrier    barrier: after a barrier, each rank by its own clock
//   seed 1
//   root 0
//   clocks shared|measured     measured: also between ranks of one host
//   buffers reused|written     written: by the program, before every operation
//   network 0|1                latency, bandwidth and speed of reduction first, for the lower bounds
//   nodes 0                    two-level algorithms treat the job as this many nodes; 0: as it is
//   dims N N ...               sides of a periodic grid of the ranks, for neighbourhood collectives
//   calibrate 0                seconds for the parameters of a network (calibration.hpp); then no points are measured
//   point OPERATION BYTES
//   arrival US US ...          of the point before it, by rank: how late it comes; several take turns
//   candidate NAME SEGMENT_BYTES RADIX     of the point before it
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leadline::bench {

struct CandidateName {
  std::string name;
  int64_t segment_bytes = 0;
  int radix = 0;  // 0: not given
};

struct Point {
  std::string operation;
  int64_t bytes = 0;
  double seconds = 0;                         // 0: as the plan has it
  std::vector<std::vector<double>> arrivals;  // microseconds by rank
  std::vector<CandidateName> candidates;
};

struct Plan {
  int rounds = 50;
  double seconds = 2.5;
  double within_s = 0;
  int repeat = 0;
  double skew_us = 0;
  uint64_t seed = 1;
  int root = 0;
  int nodes = 0;
  std::vector<int> dims;
  bool measured_clocks = false;
  bool buffers_written = false;
  bool after_barrier = false;
  bool network = false;
  double calibrate_s = 0;
  std::vector<Point> points;
};

// False if it cannot be used, with the reason in `problem`.
bool read_plan(const char* path, Plan* plan, std::string* problem);

}  // namespace leadline::bench
