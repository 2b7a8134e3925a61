// Where the routines of the program lie in memory: what its loops are read from.
#pragma once

#include "code/routine.hpp"

namespace leadline::recorder {

// The routine, or the part of one, that the unwinder knows around an address.
bool find_code(void*, uint64_t address, code::Range* range);

}  // namespace leadline::recorder
