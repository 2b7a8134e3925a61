// CRC-32C (Castagnoli), the checksum of every chunk of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leadline::trace {

namespace detail {
// [0] advances by one byte, [k] by k further bytes: the loop takes eight bytes at a time.
constexpr std::array<std::array<uint32_t, 256>, 8> crc_tables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    tables[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (size_t k = 1; k < 8; ++k) tables[k][i] = tables[0][tables[k - 1][i] & 0xff] ^ (tables[k - 1][i] >> 8);
  }
  return tables;
}
inline constexpr std::array<std::array<uint32_t, 256>, 8> crc = crc_tables();
}  // namespace detail

inline uint32_t crc32c(const void* data, size_t size, uint32_t seed = 0) {
  const auto* p = static_cast<const uint8_t*>(data);
  const auto& t = detail::crc;
  uint32_t c = ~seed;
  for (; size >= 8; size -= 8, p += 8) {
    c ^= uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
    c = t[7][c & 0xff] ^ t[6][c >> 8 & 0xff] ^ t[5][c >> 16 & 0xff] ^ t[4][c >> 24] ^ t[3][p[4]] ^ t[2][p[5]] ^
        t[1][p[6]] ^ t[0][p[7]];
  }
  for (size_t i = 0; i < size; ++i) c = t[0][(c ^ p[i]) & 0xff] ^ (c >> 8);
  return ~c;
}

}  // namespace leadline::trace
