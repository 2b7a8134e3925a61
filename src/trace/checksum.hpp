// CRC-32C (Castagnoli), the checksum of every chunk of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leadline::trace {

namespace detail {
constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}
inline constexpr std::array<uint32_t, 256> crc = crc_table();
}  // namespace detail

inline uint32_t crc32c(const void* data, size_t size, uint32_t seed = 0) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t c = ~seed;
  for (size_t i = 0; i < size; ++i) c = detail::crc[(c ^ p[i]) & 0xff] ^ (c >> 8);
  return ~c;
}

}  // namespace leadline::trace
