#include "trace/packing.hpp"

#include "trace/byte_models.hpp"
#include "trace/range_coder.hpp"
#include "trace/scratchpad.hpp"

namespace leadline::trace {
namespace {

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

}  // namespace leadline::trace
