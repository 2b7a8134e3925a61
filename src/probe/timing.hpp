// Times a collective as the program would find it: through whatever is preloaded, under the current settings.
#pragma once

#include <functional>
#include <vector>

#include "probe/library.hpp"

namespace leadline::probe {

// Microseconds of one operation on this rank, of several blocks of operations in a row. Collective over `group`, whose
// rank 0 decides how many operations make a block.
std::vector<double> time_blocks(const Library& library, Handle group, const std::function<void()>& operation);

}  // namespace leadline::probe
