// The critical path of a step: from its last end back to its begin, and wherever a call waited, over to the rank that
// it waited for.
#pragma once

#include "analysis/waits/causes.hpp"

namespace leadline::analysis {

// Adds the time on the path by process, what it is, and call site. Returns its length in ns.
double add_critical_path(const TimedStep& timed, const Profile& profile, Causes* path);

}  // namespace leadline::analysis
