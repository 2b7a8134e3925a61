// Finds the longest message that is sent before it is received, and the longest one whose send ends while its receiver
// is in no call. They show how the library sends, whatever it calls that.
#pragma once

#include "probe/library.hpp"

namespace leadline::probe {

// Bytes, at most as many as were tried (then perhaps more), -1 where not even an empty one is. copied: -2: unknown.
struct Limits {
  long eager = -1, copied = -2;
};

// Between ranks 0 and 1, for all ranks to call. On rank 0 only.
Limits limits_of(const Library& library, long most);

}  // namespace leadline::probe
