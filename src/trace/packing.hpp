// Packs payloads of chunks: predicts each byte's bits from the bytes that followed the same one, two and three bytes
// before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/bytes.hpp"
#include "trace/sink.hpp"

namespace leadline::trace {

// The most bytes that are packed: packing takes the program's time, some 0.1 us a byte.
inline constexpr size_t most_packed = 1u << 17;
// A payload that claims to hold more is damaged.
inline constexpr size_t most_ratio = 16;

// A payload as it is written behind packed_flag: varint size, block; the rest follows unpacked. False: it would not
// become smaller, or there is no memory.
bool pack_payload(const ByteSink& payload, ByteSink* out);

}  // namespace leadline::trace
