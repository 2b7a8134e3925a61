// Counts that need no order, and the bounds that they set for walks.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/structure.hpp"

namespace leadline::trace {

// A few bytes can stand for any number of steps, so a walk needs an end that damaged bytes can't move: it yields no
// more events than were declared, and no more than were timed or written out.
// `keys` gets the number of keys that are written out, by call site.
uint64_t most_events(const Generation& g, std::vector<uint32_t>* keys = nullptr);

// Visits of varying positions beyond the number that counting reads one by one.
uint64_t uncounted_variations(const Generation& g);

}  // namespace leadline::trace
