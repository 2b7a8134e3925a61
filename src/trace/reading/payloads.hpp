// Payloads of chunks, unpacked where they are packed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/written.hpp"

namespace leadline::trace {

// The bytes of a payload while they are needed. What they are unpacked in serves one after the other; several threads
// may unpack at once.
class Unpacked {
 public:
  explicit Unpacked(const Payload& payload);
  ~Unpacked();
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  bool ok() const { return ok_; }  // false: the bytes are damaged, or there is no memory
  ByteReader reader() const { return reader_; }
  std::vector<uint8_t> take();  // the bytes, of a packed payload

 private:
  struct Room;
  struct Rooms;
  bool unpack();

  std::unique_ptr<Room> room_;
  ByteReader reader_;
  bool ok_ = true;
};

// The same payload, unpacked; itself if it can't be. Only the beginning of a payload is packed, so that a long one
// takes hardly more memory than in the file, and does not have to be unpacked whenever it is decoded.
std::shared_ptr<Payload> unpacked(std::shared_ptr<Payload> payload);

}  // namespace leadline::trace
