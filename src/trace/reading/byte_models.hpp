// What traces of version 2 predict bytes by: the bits that followed the same byte, two and three bytes before. Writer
// and reader learn the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/range_coder.hpp"

namespace leadline::trace {

inline constexpr uint32_t packing_orders = 3;  // preceding bytes that predict the next one
inline constexpr uint32_t half_byte = 16;      // models of half a byte: a tree over its four bits

// log2 of the half bytes that the table has room for.
inline uint32_t packing_table_bits(size_t size) {
  uint32_t bits = 8;
  while (bits < 16 && size >> (bits - 2)) ++bits;
  return bits;
}

// The weight of a longer context, out of 256, by how often it has occurred.
inline constexpr uint32_t packing_belief[] = {0, 58, 115, 173, 230};

class ByteModels {
 public:
  static size_t models(size_t size) { return (half_byte << packing_table_bits(size)) + 256; }
  // `models`: so many, none used before.
  ByteModels(size_t size, BitModel* models) : bits_(packing_table_bits(size)), models_(models) {}

  template <class Coder>
  uint8_t code(Coder& coder, uint8_t byte) {
    uint32_t node = 1;  // the bits of this byte so far, after a leading one
    BitModel* at[packing_orders] = {};
    for (uint32_t i = 0; i < 8; ++i) {
      if (i % 4 == 0) {
        for (uint32_t order = 1; order <= packing_orders; ++order) at[order - 1] = place(order, node);
      }
      BitModel& alone = models_[(half_byte << bits_) + node];
      const uint32_t inner = i < 4 ? node : (node & ((1u << (i - 4)) - 1)) | 1u << (i - 4);
      auto p = static_cast<int32_t>(alone.probability());
      for (BitModel* tree : at) {
        const BitModel& m = tree[inner];
        const auto trust = static_cast<int32_t>(packing_belief[m.seen() < 4 ? m.seen() : 4]);
        p += (static_cast<int32_t>(m.probability()) - p) * trust >> 8;
      }
      const uint32_t bit = coder.bit(static_cast<uint32_t>(p), byte >> (7 - i) & 1u);
      alone.take(bit);
      for (BitModel* tree : at) tree[inner].take(bit);
      node = node << 1 | bit;
    }
    before_ = before_ << 8 | (node & 0xff);
    return static_cast<uint8_t>(node);
  }

 private:
  BitModel* place(uint32_t order, uint32_t node) {
    const uint32_t context = before_ & (UINT32_MAX >> (32 - 8 * order));
    const uint32_t hash = (context + order * 0x1000193u + node * 0x85ebca6bu) * 0x9e3779b1u;
    return &models_[static_cast<size_t>(hash >> (32 - bits_)) * half_byte];
  }

  uint32_t bits_;
  BitModel* models_;
  uint32_t before_ = 0;
};

}  // namespace leadline::trace
