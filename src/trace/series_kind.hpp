// What a window of a series is, and its calls.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint32_t poll_position = 1;  // no event has this number

// continued: goes on after a pause in the window before.
enum class SeriesKind : uint32_t { whole, sampled, slowest, continued };

}  // namespace leadline::trace
