// A count as the functions take it that know no large ones; who calls knows that it fits.
#pragma once

#include <cstdint>

namespace leadline::shim {

inline int32_t narrow(int64_t count) { return static_cast<int32_t>(count); }

}  // namespace leadline::shim
