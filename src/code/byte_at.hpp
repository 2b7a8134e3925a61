// A byte of loaded code, which the caller knows to be mapped and readable.
#pragma once

#include <cstdint>

namespace leadline::code {

inline uint8_t byte_at(uint64_t address) { return *reinterpret_cast<const uint8_t*>(address); }

}  // namespace leadline::code
