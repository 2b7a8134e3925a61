// The contents of buffers before and after an operation. Every rank's elements differ, as do those of every round, and
// their sums are exact in any order.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "bench/grid.hpp"
#include "bench/guarded.hpp"
#include "bench/job.hpp"
#include "collectives/operation.hpp"

namespace leadline::bench {

// Elements are doubles, but bytes in messages that doubles don't fill.
class Contents {
 public:
  // operation: nullptr: two ranks exchange what they have. bytes: of a block. grid: of operations with neighbours;
  // nullptr: there is none, and they are not done.
  Contents(const Job& job, const collectives::OperationFacts* operation, int64_t bytes, int root, const Grid* grid);

  MPI_Datatype type() const { return type_; }
  int64_t count() const { return count_; }  // elements of a block
  int64_t extent() const { return extent_; }
  const Grid* grid() const { return grid_; }
  char* input() const { return input_.get(); }  // not used where the operation has one buffer
  char* data() const { return data_.get(); }

  // Before an operation: what this rank contributes, and something wrong where the result is to be.
  void set_all(uint64_t salt);
  // The same at a few places only, which leaves the caches alone.
  void set_some(uint64_t salt);
  // What a program does between operations: reads the result and writes its contribution, a byte of each cache line.
  void work_on_it() const;
  // After it: the contents that were set last are expected, and what is beside the buffers as it was.
  bool all_right() const;
  void write_behind() { data_.write_behind(); }
  bool some_right() const;

 private:
  bool beside_is_intact() const { return input_.intact() && data_.intact(); }
  void restore_beside() const {
    input_.restore();
    data_.restore();
  }
  bool is_root() const { return job_.rank == root_; }
  bool contributes() const { return !operation_ || operation_->contributes(is_root()); }
  bool receives() const {
    if (!operation_) return true;
    return operation_->receives(is_root()) && (!operation_->reduces || contributors() > 0);
  }
  // The ranks from 0 on whose sum this rank gets.
  int contributors() const { return operation_->reduced_until(job_.rank, job_.size); }
  // Of a buffer with more than one.
  int blocks() const { return !operation_->for_neighbours ? job_.size : grid_ ? grid_->blocks() : 0; }
  // Elements of the whole buffers.
  int64_t contributed() const { return count_ * (operation_ ? operation_->blocks_contributed(blocks()) : 1); }
  int64_t received() const { return count_ * (operation_ ? operation_->blocks_received(blocks()) : 1); }
  char* contribution() const { return operation_ && operation_->has_one_buffer() ? data() : input(); }
  static int64_t place(int i, int64_t count) { return (count - 1) * i / (places_ - 1); }
  void put(char* base, int64_t i, double value) const;
  double get(const char* base, int64_t i) const;
  double own(int rank, int64_t i, uint64_t salt) const;
  double expected(int64_t i, uint64_t salt) const;
  void contribute(int64_t i, uint64_t salt) const { put(contribution(), i, own(job_.rank, i, salt)); }
  void spoil(int64_t i, uint64_t salt) const { put(data(), i, expected(i, salt) + 1); }
  bool right(int64_t i, uint64_t salt) const { return get(data_.get(), i) == expected(i, salt); }

  static constexpr int places_ = 16;
  const Job& job_;
  const collectives::OperationFacts* operation_;
  int root_;
  const Grid* grid_;
  MPI_Datatype type_;
  int64_t count_, extent_;
  uint64_t salt_ = 0, some_salt_ = 0;
  Guarded input_, data_;
};

}  // namespace leadline::bench
