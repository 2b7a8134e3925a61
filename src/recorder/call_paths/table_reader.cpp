#include "recorder/call_paths/table_reader.hpp"

namespace leadline::recorder {

uint64_t TableReader::unsigned_leb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_; shift += 7) {
    const auto byte = this->value<uint8_t>();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return ok_ ? value : 0;
  }
  return 0;
}

int64_t TableReader::signed_leb() {
  uint64_t value = 0;
  for (unsigned shift = 0; ok_;) {
    const auto byte = this->value<uint8_t>();
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if ((byte & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
    return ok_ ? static_cast<int64_t>(value) : 0;
  }
  return 0;
}

uint64_t TableReader::pointer(uint8_t encoding, uint64_t data_base) {
  if (encoding == pointer_omitted) return 0;
  constexpr uint8_t aligned = 0x50;
  if (encoding == aligned) {
    skip(-at_ % sizeof(uint64_t));
    return value<uint64_t>();
  }
  const uint64_t place = at_;
  uint64_t value = 0;
  switch (encoding & 0x0f) {
    case 0x00:  // absptr
    case 0x04:
    case 0x0c:
      value = this->value<uint64_t>();
      break;
    case 0x01:
      value = unsigned_leb();
      break;
    case 0x02:
      value = this->value<uint16_t>();
      break;
    case 0x03:
      value = this->value<uint32_t>();
      break;
    case 0x09:
      value = static_cast<uint64_t>(signed_leb());
      break;
    case 0x0a:
      value = static_cast<uint64_t>(int64_t{this->value<int16_t>()});
      break;
    case 0x0b:
      value = static_cast<uint64_t>(int64_t{this->value<int32_t>()});
      break;
    default:
      ok_ = false;
      return 0;
  }
  if (!ok_ || !value) return 0;
  switch (encoding & 0x70) {
    case 0x00:
      break;
    case 0x10:  // relative to its own place
      value += place;
      break;
    case 0x30:
      value += data_base;
      break;
    default:  // relative to the text or the function: no compiler of ours writes that here
      ok_ = false;
      return 0;
  }
  if (encoding & pointer_indirect) ok_ = memory_->read(value, &value);
  return ok_ ? value : 0;
}

TableReader TableReader::part(uint64_t bytes) {
  const uint64_t from = at_;
  skip(bytes);
  TableReader taken(*memory_, from, ok_ ? from + bytes : from);
  taken.ok_ = ok_;
  return taken;
}

}  // namespace leadline::recorder
