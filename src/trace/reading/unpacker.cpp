#include "trace/reading/unpacker.hpp"

#include <cstring>

#include "trace/reading/byte_models.hpp"

namespace leadline::trace {

bool Unpacker::unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size) {
  if (size > most_modelled) return false;
  const size_t needed = ByteModels::models(size);
  if (needed > room_) {
    room_ = 0;
    models_.emplace(needed);
    if (!*models_) return false;
    room_ = needed;
  } else {
    std::memset(static_cast<void*>(models_->get()), 0, needed * sizeof(BitModel));
  }
  ByteModels models(size, models_->get());
  RangeReader coder(packed, packed_size);
  for (size_t i = 0; i < size; ++i) into[i] = models.code(coder, 0);
  return coder.ok();
}

}  // namespace leadline::trace
