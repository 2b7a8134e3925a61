// Packs payloads of chunks as DEFLATE streams (RFC 1951).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/deflate.hpp"
#include "trace/sink.hpp"

namespace leadline::trace {

// The most bytes that are packed.
inline constexpr size_t most_packed = most_deflated;
// A payload that claims to hold more is damaged.
inline constexpr size_t most_ratio = 16;

// A payload as it is written behind packed_flag: varint size, block; the rest follows unpacked. False: it would not
// become smaller, or there is no memory.
bool pack_payload(const ByteSink& payload, ByteSink* out);

}  // namespace leadline::trace
