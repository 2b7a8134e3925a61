// Finds the longest message that is sent before it is received. It shows an eager limit, whatever the library calls it.
#pragma once

#include "probe/library.hpp"

namespace leadline::probe {

// Between ranks 0 and 1, for all ranks to call; bytes, at most `most` (then perhaps more), -1 where not even an empty
// one is. On rank 0 only.
long eager_bytes(const Library& library, long most);

}  // namespace leadline::probe
