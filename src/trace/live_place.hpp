// Where the live memory of a process was.
#pragma once

#include <cstdint>

namespace leadline::trace {

// Where the live memory of a process is (recorder/memory/live_place.hpp), and why it is not on the node although the run's
// directory is remote.
enum class LivePlaceKind : uint32_t { run, memory, disk, chosen };
enum class LivePlaceReason : uint32_t { none, asked_for, nowhere, too_little, refused };

}  // namespace leadline::trace
