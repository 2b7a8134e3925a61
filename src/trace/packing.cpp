#include "trace/packing.hpp"

namespace leadline::trace {

bool pack_payload(const ByteSink& payload, ByteSink* out) {
  constexpr size_t least_packed = 64;  // a smaller payload is not worth the memory that packing takes
  const size_t size = payload.packable() < most_packed ? payload.packable() : most_packed;
  ByteSink packed;
  if (size < least_packed || !payload.ok() || !deflate_bytes(payload.data(), size, size, &packed)) return false;
  while (packed.ok() && packed.size() < size / most_ratio) packed.byte(0);
  out->varint(size);
  out->varint(packed.size());
  out->bytes(packed.data(), packed.size());
  out->bytes(payload.data() + size, payload.size() - size);
  return out->ok() && out->size() < payload.size();
}

}  // namespace leadline::trace
