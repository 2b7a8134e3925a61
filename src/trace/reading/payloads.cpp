#include "trace/reading/payloads.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "trace/packing.hpp"
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
  if (payload.packed) ok_ = unpack();
}

Unpacked::~Unpacked() {
  if (room_) Rooms::all().give(std::move(room_));
}

std::vector<uint8_t> Unpacked::take() { return {room_->payload.begin(), room_->payload.end()}; }

std::shared_ptr<Payload> unpacked(std::shared_ptr<Payload> payload) {
  if (!payload->packed) return payload;
  Unpacked whole(*payload);
  if (!whole.ok()) return payload;
  return std::make_shared<Payload>(Payload{false, whole.take()});
}

bool Unpacked::unpack() {
  const uint64_t size = reader_.varint();
  const size_t packed = reader_.count();
  const ByteReader from = reader_.bytes(packed);
  if (!reader_.ok() || size > most_packed) return false;
  room_ = Rooms::all().take();
  std::vector<uint8_t>& whole = room_->payload;
  whole.resize(static_cast<size_t>(size) + reader_.left());
  if (!room_->unpacker.unpack(from.data(), packed, whole.data(), static_cast<size_t>(size))) return false;
  std::copy_n(reader_.data(), reader_.left(), whole.data() + size);
  reader_ = ByteReader(whole.data(), whole.size());
  return true;
}

}  // namespace leadline::trace
