// Unpacks payloads of traces of version 2, one after the other in the same memory. The models of a payload of some
// kilobytes take a megabyte, and to get that from the system for each of many payloads costs more than unpacking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trace/range_coder.hpp"
#include "trace/scratchpad.hpp"

namespace leadline::trace {

class Unpacker {
 public:
  static constexpr size_t most_modelled = 1u << 17;

  // False: the packed bytes are damaged, or there is no memory.
  bool unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size);

 private:
  std::optional<Scratchpad<BitModel>> models_;
  size_t room_ = 0;  // of these
};

}  // namespace leadline::trace
