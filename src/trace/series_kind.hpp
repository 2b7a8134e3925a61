// What a window of a series is, and its calls.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint32_t poll_position = 1;  // no event has this number

enum class SeriesKind : uint32_t { whole, sampled, slowest };

}  // namespace leadline::trace
