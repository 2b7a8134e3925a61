// A periodic grid of the job's ranks, for collectives with the neighbours of a process topology. A rank has two blocks
// for each dimension: the first is for, or from, the neighbour below, the second the one above. A neighbour may be the
// rank itself, or the same rank below and above.
#pragma once

#include <vector>

#include "bench/job.hpp"
#include "collectives/schedule.hpp"

namespace leadline::bench {

class Grid {
 public:
  // sides: their product is the number of ranks. Collective.
  Grid(const Job& job, const std::vector<int>& sides);
  ~Grid() { MPI_Comm_free(&comm_); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  // Its ranks are numbered as those of the job.
  MPI_Comm comm() const { return comm_; }
  int blocks() const { return int(targets_.size()); }
  collectives::Neighbours neighbours() const;
  // Of the i-th source, in the order in which messages are matched: the number of the block from there.
  int block_of_source(int i) const { return block_of_source_[i]; }

  // What arrives in a block: whose it is, and which of the sender's blocks.
  struct Origin {
    int rank, block;
  };
  Origin origin(int block) const { return origins_[block]; }

 private:
  void add_dimension(int dimension, bool by_order);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> targets_, sources_, block_of_source_;
  std::vector<Origin> origins_;
};

}  // namespace leadline::bench
