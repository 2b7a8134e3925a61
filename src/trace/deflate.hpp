// Writes DEFLATE streams (RFC 1951): one block, whose repetitions are looked for among a few earlier places.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/sink.hpp"

namespace leadline::trace {

inline constexpr size_t most_deflated = 1u << 17;

// Appends the stream. False: it would take `room` bytes or more, or there is no memory.
bool deflate_bytes(const uint8_t* data, size_t size, size_t room, ByteSink* out);

}  // namespace leadline::trace
