#include "trace/packing.hpp"

#include "trace/range_coder.hpp"
#include "trace/scratchpad.hpp"
#include "trace/unpacker.hpp"

namespace leadline::trace {
namespace {

constexpr uint32_t orders = 3;  // preceding bytes that predict the next one
constexpr uint32_t half = 16;   // models of half a byte: a tree over its four bits

// log2 of the half bytes that the table has room for.
uint32_t table_bits(size_t size) {
  uint32_t bits = 8;
  while (bits < 16 && size >> (bits - 2)) ++bits;
  return bits;
}

// The weight of a longer context, out of 256, by how often it has occurred.
constexpr uint32_t belief[] = {0, 58, 115, 173, 230};

class ByteModels {
 public:
  static size_t models(size_t size) { return (half << table_bits(size)) + 256; }
  // `models`: so many, none used before.
  ByteModels(size_t size, BitModel* models) : bits_(table_bits(size)), models_(models) {}

  template <class Coder>
  uint8_t code(Coder& coder, uint8_t byte) {
    uint32_t node = 1;  // the bits of this byte so far, after a leading one
    BitModel* at[orders] = {};
    for (uint32_t i = 0; i < 8; ++i) {
      if (i % 4 == 0) {
        for (uint32_t order = 1; order <= orders; ++order) at[order - 1] = place(order, node);
      }
      BitModel& alone = models_[(half << bits_) + node];
      const uint32_t inner = i < 4 ? node : (node & ((1u << (i - 4)) - 1)) | 1u << (i - 4);
      auto p = static_cast<int32_t>(alone.probability());
      for (BitModel* tree : at) {
        const BitModel& m = tree[inner];
        const auto trust = static_cast<int32_t>(belief[m.seen() < 4 ? m.seen() : 4]);
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
    return &models_[static_cast<size_t>(hash >> (32 - bits_)) * half];
  }

  uint32_t bits_;
  BitModel* models_;
  uint32_t before_ = 0;
};

// A smaller payload is not worth the memory that packing takes.
constexpr size_t least_packed = 64;

// False: packing would not make it smaller, or there is no memory.
bool pack(const uint8_t* data, size_t size, ByteSink* out) {
  const Scratchpad<BitModel> memory(ByteModels::models(size));
  if (!memory) return false;
  ByteModels models(size, memory.get());
  const size_t from = out->size();
  RangeWriter<ByteSink> coder(out);
  for (size_t i = 0; i < size && out->size() - from < size; ++i) models.code(coder, data[i]);
  coder.end();
  while (out->ok() && out->size() - from < size / most_ratio) out->byte(0);
  return out->ok() && out->size() - from < size;
}

}  // namespace

bool pack_payload(const ByteSink& payload, ByteSink* out) {
  const size_t size = payload.packable() < most_packed ? payload.packable() : most_packed;
  ByteSink packed;
  if (size < least_packed || !payload.ok() || !pack(payload.data(), size, &packed)) return false;
  out->varint(size);
  out->varint(packed.size());
  out->bytes(packed.data(), packed.size());
  out->bytes(payload.data() + size, payload.size() - size);
  return out->ok() && out->size() < payload.size();
}

bool unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size) {
  return Unpacker().unpack(packed, packed_size, into, size);
}

bool Unpacker::unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size) {
  if (size > most_packed || size / most_ratio > packed_size) return false;
  models_.assign(ByteModels::models(size), BitModel{});
  ByteModels models(size, models_.data());
  RangeReader coder(packed, packed_size);
  for (size_t i = 0; i < size; ++i) into[i] = models.code(coder, 0);
  return coder.ok();
}

}  // namespace leadline::trace
