// The kinds of windows of a series.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint32_t poll_position = 1;  // no event has this number

// continued: goes on after a pause in the previous window.
enum class SeriesKind : uint32_t { whole, sampled, slowest, continued };

}  // namespace leadline::trace
