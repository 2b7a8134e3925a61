#include "trace/reading/payloads.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "trace/checksum.hpp"
#include "trace/packing.hpp"
#include "trace/reading/inflate.hpp"
#include "trace/reading/unpacker.hpp"

namespace leadline::trace {

struct Unpacked::Room {
  Unpacker unpacker;
  std::vector<uint8_t> payload;
};

// What nobody uses.
struct Unpacked::Rooms {
  std::mutex mutex;
  std::vector<std::unique_ptr<Room>> free;

  static Rooms& all() {
    static Rooms rooms;
    return rooms;
  }
  std::unique_ptr<Room> take() {
    const std::lock_guard locked(mutex);
    if (free.empty()) return std::make_unique<Room>();
    std::unique_ptr<Room> room = std::move(free.back());
    free.pop_back();
    return room;
  }
  void give(std::unique_ptr<Room> room) {
    std::vector<uint8_t>().swap(room->payload);
    const std::lock_guard locked(mutex);
    free.push_back(std::move(room));
  }
};

Unpacked::Unpacked(const Payload& payload) : reader_(payload.bytes.data(), payload.bytes.size()) {
  if (payload.packing != Packing::none) {
    ok_ = unpack(payload.packing);
  } else if (payload.rest.size) {
    ok_ = read_rest(payload);
  }
}

Unpacked::~Unpacked() {
  if (room_) Rooms::all().give(std::move(room_));
}

bool Unpacked::read_rest(const Payload& payload) {
  const FilePart& rest = payload.rest;
  room_ = Rooms::all().take();
  std::vector<uint8_t>& whole = room_->payload;
  whole.reserve(payload.bytes.size() + rest.size);
  whole = payload.bytes;
  whole.resize(payload.bytes.size() + rest.size);
  uint8_t* const into = whole.data() + payload.bytes.size();
  if (!rest.file->read_at(rest.at, into, rest.size) || crc32c(into, rest.size) != rest.crc) return false;
  reader_ = ByteReader(whole.data(), whole.size());
  return true;
}

std::shared_ptr<const Payload> held(const std::shared_ptr<const Payload>& payload,
                                    const std::shared_ptr<const FileReadAgain>& file, uint64_t at) {
  const size_t size = payload->bytes.size();
  if (payload->packing == Packing::none && size <= most_held) return payload;
  const Unpacked unpacked(*payload);
  if (!unpacked.ok()) return payload;
  const ByteReader reader = unpacked.reader();
  const size_t begin = !file || reader.left() <= most_held ? reader.left() : unpacked.were_packed();
  const size_t rest = reader.left() - begin;  // as long in the file
  auto held = std::make_shared<Payload>();
  held->bytes.assign(reader.data(), reader.data() + begin);
  if (rest) {
    held->rest = {file, at + size - rest, static_cast<uint32_t>(rest), crc32c(reader.data() + begin, rest)};
  }
  return held;
}

bool Unpacked::unpack(Packing packing) {
  const uint64_t size = reader_.varint();
  const size_t packed = reader_.count();
  const ByteReader from = reader_.bytes(packed);
  if (!reader_.ok() || size > most_packed || size / most_ratio > packed) return false;
  were_packed_ = static_cast<size_t>(size);
  room_ = Rooms::all().take();
  std::vector<uint8_t>& whole = room_->payload;
  whole.resize(static_cast<size_t>(size) + reader_.left());
  const auto first = static_cast<size_t>(size);
  const bool whole_again = packing == Packing::modelled
                               ? room_->unpacker.unpack(from.data(), packed, whole.data(), first)
                               : inflate_bytes(from.data(), packed, whole.data(), first);
  if (!whole_again) return false;
  std::copy_n(reader_.data(), reader_.left(), whole.data() + size);
  reader_ = ByteReader(whole.data(), whole.size());
  return true;
}

}  // namespace leadline::trace
