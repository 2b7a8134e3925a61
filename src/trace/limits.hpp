// The most that a process records of each kind. A reader treats more as damage.
#pragma once

#include <cstdint>

namespace leadline::trace {

inline constexpr uint32_t max_threads = 64;
inline constexpr uint32_t max_functions = 2048;

// Table elements.
namespace capacity {
inline constexpr uint32_t graph_positions = 32768;
inline constexpr uint32_t sites = 1u << 14;
// The rest is for mode_bag*, and for one mode_times_only and one mode_bag_coarse per site, which must always fit.
inline constexpr uint32_t positions = graph_positions + 8192 + 2 * sites;
inline constexpr uint32_t members = 1u << 21;
inline constexpr uint32_t regions = 1u << 12;
inline constexpr uint32_t loops = 1u << 12;
inline constexpr uint32_t series_entries = 1u << 20;
inline constexpr uint32_t series_windows = 1u << 12;
}  // namespace capacity

inline constexpr uint32_t most_buckets = 512;
inline constexpr uint32_t most_loops = 8;
inline constexpr uint32_t most_slow = 6;
inline constexpr uint32_t most_slow_read = 12;       // earlier versions wrote as many
inline constexpr uint32_t most_slow_entries = 4000;  // calls that can be kept of a slow iteration

// Per series: the log, and the slowest iterations.
inline constexpr uint64_t most_series_entries =
    uint64_t{capacity::series_entries} + uint64_t{most_loops} * most_slow * most_slow_entries;

}  // namespace leadline::trace
