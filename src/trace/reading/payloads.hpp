// Payloads of chunks: unpacked where they are packed, and read again where they were left in the file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/reading/opened_file.hpp"
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

  bool ok() const { return ok_; }  // false: the bytes are damaged, or the file has changed, or there is no memory
  ByteReader reader() const { return reader_; }
  // How many bytes at the beginning were packed.
  size_t were_packed() const { return were_packed_; }

 private:
  struct Room;
  struct Rooms;
  bool read_rest(const Payload& payload);
  bool unpack(Packing packing);

  std::unique_ptr<Room> room_;
  ByteReader reader_;
  size_t were_packed_ = 0;
  bool ok_ = true;
};

// Longer payloads are read from their file whenever they are needed.
inline constexpr size_t most_held = size_t{1} << 16;

// The payload as it is held for whoever decodes it again. Only the beginning of a payload is packed: held, that is
// unpacked, so that it does not have to be unpacked each time. What follows is as long in memory as in the file, so
// of a long payload it is left there. A payload of which a part was left is not packed.
// `file`, `at`: where it lies; nullptr: it stays in memory.
std::shared_ptr<const Payload> held(const std::shared_ptr<const Payload>& payload,
                                    const std::shared_ptr<const FileReadAgain>& file, uint64_t at);

}  // namespace leadline::trace
