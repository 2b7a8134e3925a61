// What OTF2 calls the functions of MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/call_class.hpp"

namespace leadline::interchange::otf2 {

// The collective operation of a call; none: OTF2 has no name for it.
std::optional<uint8_t> operation_of(std::string_view function, trace::CallClass cls);
// A region's role.
uint8_t role_of(trace::CallClass cls);

}  // namespace leadline::interchange::otf2
