// The critical path of a step: from its last end back to its begin, and wherever a call waited, over to the rank that
// it waited for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/waits/causes.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// A stretch of the path: what a process did at a call site, in the run's time.
struct PathStretch {
  uint32_t process = 0, site = 0;
  Doing doing = Doing::unknown;
  double begin_ns = 0, end_ns = 0;
};

// The stretches, the last one first.
void walk_critical_path(const TimedStep& timed, const Profile& profile,
                        const std::function<void(const PathStretch&)>& visit);

// Adds the time on the path by process, what it is, and call site. Returns its length in ns.
double add_critical_path(const TimedStep& timed, const Profile& profile, Causes* path);

// The paths of single iterations of the main loop.
class PathFinder {
 public:
  // The profile has all processes of the run and outlives this.
  PathFinder(const Profile& profile, const std::vector<uint64_t>& iterations);
  ~PathFinder();
  // All processes again, in the profile's order.
  void add(const trace::Process& process, uint32_t index);
  // Once, after the last process: for each iteration the stretches in order; none if its calls' times were not kept.
  std::vector<std::vector<PathStretch>> find();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
