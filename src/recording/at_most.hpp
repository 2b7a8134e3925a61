// Counts in memory that another process may be writing, or that was damaged: never beyond what there is room for.
#pragma once

#include <cstdint>

namespace leadline::recording {

inline uint64_t at_most(uint64_t n, uint64_t limit) { return n < limit ? n : limit; }

}  // namespace leadline::recording
