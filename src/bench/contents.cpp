#include "bench/contents.hpp"

#include <algorithm>
#include <cstring>

namespace leadline::bench {

Contents::Contents(const Job& job, const collectives::OperationFacts* operation, int64_t bytes, int root,
                   const Grid* grid)
    : job_(job),
      operation_(operation),
      root_(root),
      grid_(grid),
      type_(bytes % 8 == 0 ? MPI_DOUBLE : MPI_BYTE),
      count_(bytes % 8 == 0 ? bytes / 8 : bytes),
      extent_(bytes % 8 == 0 ? 8 : 1),
      input_(contributes() ? contributed() * extent_ : bytes),
      data_(receives() ? received() * extent_ : bytes) {}

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
  if (!operation_) return own(1 - job_.rank, i, salt);
  if (operation_->for_neighbours) {
    const Grid::Origin from = grid_->origin(int(i / count_));
    return own(from.rank, (operation_->contributed.block_per_rank ? from.block * count_ : 0) + i % count_, salt);
  }
  // The block that each rank contributed for this rank.
  const int64_t within =
      (operation_->contributed.block_per_rank ? job_.rank * count_ : 0) + i % std::max<int64_t>(count_, 1);
  if (!operation_->reduces) return own(operation_->received.block_per_rank ? int(i / count_) : root_, within, salt);
  double sum = 0;
  for (int rank = 0; rank < contributors(); ++rank) sum += own(rank, within, salt);
  return sum;
}

void Contents::set_all(uint64_t salt) {
  salt_ = some_salt_ = salt;
  restore_beside();
  for (int64_t i = 0; contributes() && i < contributed(); ++i) contribute(i, salt);
  for (int64_t i = 0; receives() && i < received(); ++i) spoil(i, salt);
}

void Contents::set_some(uint64_t salt) {
  some_salt_ = salt;
  restore_beside();
  if (count_ <= places_) return set_all(salt);
  for (int i = 0; i < places_; ++i) {
    for (int64_t block = 0; contributes() && block < contributed(); block += count_)
      contribute(block + place(i, count_), salt);
    for (int64_t block = 0; receives() && block < received(); block += count_) spoil(block + place(i, count_), salt);
  }
}

void Contents::work_on_it() const {
  constexpr int64_t line = 64;
  const volatile char* result = data();
  volatile char* input = contribution();
  for (int64_t i = 0; receives() && i < received() * extent_; i += line) (void)result[i];
  for (int64_t i = 0; contributes() && i < contributed() * extent_; i += line) input[i] = input[i];
}

bool Contents::all_right() const {
  if (!beside_is_intact()) return false;
  if (!receives()) return true;
  for (int64_t i = 0; i < received(); ++i)
    if (!right(i, salt_)) return false;
  return true;
}

bool Contents::some_right() const {
  if (!beside_is_intact()) return false;
  if (!receives()) return true;
  if (count_ <= places_) return all_right();
  for (int64_t block = 0; block < received(); block += count_)
    for (int i = 0; i < places_; ++i)
      if (!right(block + place(i, count_), some_salt_)) return false;
  return true;
}

}  // namespace leadline::bench
