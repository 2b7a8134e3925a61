// The plans that communicators keep.
#pragma once

#include <cstdint>

#include "shim/communicator.hpp"
#include "shim/plan.hpp"

namespace leadline::shim {

// nullptr: the algorithm cannot do it; the same on all ranks. (Without memory the process ends.)
// by_rank: instead of `count`, where there are any.
Plan* plan_for(Communicator& c, const Rule& rule, int64_t count, int64_t element_bytes, int32_t root,
               const ByRank& by_rank = {});

}  // namespace leadline::shim
