// Where the live memory of a process was.
#pragma once

#include <cstdint>

namespace leadline::trace {

// Where the live memory of a process is (recorder/memory/live_directory.hpp), and why it is not on the node although
// the run's directory is remote.
enum class LiveMemoryKind : uint32_t { run, memory, disk, chosen };
enum class LiveMemoryReason : uint32_t { none, asked_for, nowhere, too_little, refused };

}  // namespace leadline::trace
