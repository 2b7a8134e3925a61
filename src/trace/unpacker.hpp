// Unpacks what packing.hpp packs, one payload after the other in the same memory. The models of a payload of some
// kilobytes take a megabyte, and to get that from the system for each of many payloads costs more than unpacking them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/range_coder.hpp"

namespace leadline::trace {

class Unpacker {
 public:
  bool unpack(const uint8_t* packed, size_t packed_size, uint8_t* into, size_t size);

 private:
  std::vector<BitModel> models_;
};

}  // namespace leadline::trace
