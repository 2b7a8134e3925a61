#include "bench/contents.hpp"

#include <algorithm>
#include <cstring>

namespace leadline::bench {

Contents::Contents(const Job& job, Kind kind, int64_t bytes, int root)
    : job_(job),
      kind_(kind),
      root_(root),
      type_(bytes % 8 == 0 ? MPI_DOUBLE : MPI_BYTE),
      count_(bytes % 8 == 0 ? bytes / 8 : bytes),
      extent_(bytes % 8 == 0 ? 8 : 1),
      input_(pages(bytes)),
      data_(pages(bytes)) {}

std::unique_ptr<char, Contents::Free> Contents::pages(int64_t bytes) {
  const std::size_t whole = std::size_t(bytes / 4096 + 1) * 4096;
  std::unique_ptr<char, Free> memory(static_cast<char*>(std::aligned_alloc(4096, whole)));
  if (!memory) MPI_Abort(MPI_COMM_WORLD, 70);
  std::memset(memory.get(), 0, whole);  // every page is there before the first round
  return memory;
}

void Contents::put(char* base, int64_t i, double value) const {
  if (extent_ == 8)
    std::memcpy(base + 8 * i, &value, 8);
  else
    base[i] = char(uint64_t(value));
}

double Contents::get(const char* base, int64_t i) const {
  if (extent_ == 1) return static_cast<unsigned char>(base[i]);
  double value;
  std::memcpy(&value, base + 8 * i, 8);
  return value;
}

// A whole number below 2^16, so that sums of as many as there are ranks are exact.
double Contents::own(int rank, int64_t i, uint64_t salt) const {
  const uint64_t mixed = (uint64_t(i) + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t(rank) + 1) * 0xc2b2ae3d27d4eb4fu ^
                         (salt + 1) * 0x165667b19e3779f9u;
  const uint64_t value = (mixed * 0xff51afd7ed558ccdu) >> 48;
  return double(extent_ == 8 ? value : value & 0xff);
}

double Contents::expected(int64_t i, uint64_t salt) const {
  if (kind_ == Kind::broadcast) return own(root_, i, salt);
  if (kind_ == Kind::exchange) return own(1 - job_.rank, i, salt);
  double sum = 0;
  for (int rank = 0; rank < job_.size; ++rank) sum += own(rank, i, salt);
  return sum;
}

void Contents::set(int64_t i, uint64_t salt) {
  if (contributes()) put(kind_ == Kind::broadcast ? data() : input(), i, own(job_.rank, i, salt));
  if (receives()) put(data(), i, expected(i, salt) + 1);
}

void Contents::set_all(uint64_t salt) {
  salt_ = some_salt_ = salt;
  for (int64_t i = 0; i < count_; ++i) set(i, salt);
}

void Contents::set_some(uint64_t salt) {
  some_salt_ = salt;
  if (count_ <= places_)
    set_all(salt);
  else
    for (int i = 0; i < places_; ++i) set(place(i), salt);
}

void Contents::work_on_it() const {
  constexpr int64_t line = 64;
  const volatile char* result = data();
  volatile char* input = kind_ == Kind::broadcast ? data() : this->input();
  for (int64_t i = 0; i < count_ * extent_; i += line) {
    if (receives()) (void)result[i];
    if (contributes()) input[i] = input[i];
  }
}

bool Contents::all_right() const {
  if (!receives()) return true;
  for (int64_t i = 0; i < count_; ++i)
    if (!right(i, salt_)) return false;
  return true;
}

bool Contents::some_right() const {
  if (!receives()) return true;
  if (count_ <= places_) return all_right();
  for (int i = 0; i < places_; ++i)
    if (!right(place(i), some_salt_)) return false;
  return true;
}

}  // namespace leadline::bench
