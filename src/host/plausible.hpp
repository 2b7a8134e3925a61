// Whether a word can be a handle at all. Asked about an invalid handle, a library calls the program's error handler,
// which by default ends the program, or follows a wild pointer. So we check first, without the library.
#pragma once

#include <cstdint>

namespace leadline::host {

// False if the library certainly has no such object. A freed one is not recognised.
bool may_be_communicator(uint64_t handle);
bool may_be_datatype(uint64_t handle);

}  // namespace leadline::host
