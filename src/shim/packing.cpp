#include "shim/packing.hpp"

namespace leadline::shim {

using host::call_real;

Packing::Packing(Word buffer, int32_t count, uint64_t datatype) : buffer_(buffer), count_(count), datatype_(datatype) {
  if (buffer) return;
  constexpr int64_t away = 4096;
  const int64_t back = -away;
  const int32_t one = 1;
  if (call_real(Fn::Type_create_hindexed, one, &count, &back, datatype, &made_) != 0) return;
  call_real(Fn::Type_commit, &made_);
  buffer_ = away;
  count_ = 1;
  datatype_ = Abi::handle(made_, abi.family->handle_bytes.datatype);
}

Packing::~Packing() {
  if (made_) call_real(Fn::Type_free, &made_);
}

int Packing::pack(char* bytes, int32_t size, uint64_t comm) const {
  int32_t position = 0;
  return call_real(Fn::Pack, buffer_, count_, datatype_, bytes, size, &position, comm);
}

int Packing::unpack(const char* bytes, int32_t size, uint64_t comm) const {
  int32_t position = 0;
  return call_real(Fn::Unpack, bytes, size, &position, buffer_, count_, datatype_, comm);
}

}  // namespace leadline::shim
