// The critical path of a step: from its last end back to its begin, and wherever a call waited, over to the rank that
// it waited for.
#pragma once

#include <functional>
#include <vector>

#include "analysis/waits/causes.hpp"

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

}  // namespace leadline::analysis
