// Reads DEFLATE streams (RFC 1951).
#pragma once

#include <cstddef>
#include <cstdint>

namespace leadline::trace {

// The first `size` bytes of the stream. False: it is damaged, or ends before.
bool inflate_bytes(const uint8_t* data, size_t data_size, uint8_t* into, size_t size);

}  // namespace leadline::trace
