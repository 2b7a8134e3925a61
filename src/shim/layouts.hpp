// Where the elements of a datatype have their data.
#pragma once

#include "shim/communicator.hpp"

namespace leadline::shim {

// size: bytes of data in an element.
Layout layout_of(uint64_t datatype, int64_t size);

}  // namespace leadline::shim
