// Payloads of chunks in fewer bytes: each byte's bits by what followed the same one, two and three bytes before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes.hpp"
#include "trace/sink.hpp"

namespace leadline::trace {

// At most so many bytes are packed: their time is the program's, some 0.1 us each.
inline constexpr size_t most_packed = 1u << 17;
// What claims to hold more is damage.
inline constexpr size_t most_ratio = 16;

// A payload as it is written behind packed_flag: varint size, block; then the rest as it is. False: it would not become
// smaller, or there is no memory.
bool pack_payload(const ByteSink& payload, ByteSink* out);
bool unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size);

}  // namespace leadline::trace
