// Between the program's data, of any datatype, and bytes.
#pragma once

#include "shim/state.hpp"

namespace leadline::shim {

// The program's buffer and datatype, as MPI_Pack takes them: MPICH refuses a null pointer, which MPI_BOTTOM is, even if
// the datatype has absolute addresses. A datatype that begins earlier, used from an address later by the same amount,
// is accepted.
class Packing {
 public:
  Packing(Word buffer, int32_t count, uint64_t datatype);
  ~Packing();
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  // size: of `bytes`. Both return MPI's error code.
  int pack(char* bytes, int32_t size, uint64_t comm) const;
  int unpack(const char* bytes, int32_t size, uint64_t comm) const;

 private:
  Word buffer_;
  int32_t count_;
  uint64_t datatype_, made_ = 0;
};

}  // namespace leadline::shim
