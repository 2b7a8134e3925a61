// Whether a word may be a handle at all. A library that is asked about an invalid handle calls the program's error
// handler, which ends the program by default, or follows a wild pointer. We therefore check first, without its help.
#pragma once

#include <cstdint>

namespace leadline::host {

// False where the library surely has no such object; nothing is said about one that was freed.
bool may_be_communicator(uint64_t handle);
bool may_be_datatype(uint64_t handle);

}  // namespace leadline::host
