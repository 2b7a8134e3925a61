// The first half of broadcasts that cut the data into blocks, one for each process, counted from the root.
#pragma once

#include "collectives/blocks.hpp"

namespace leadline::collectives {

class Scatter {
 public:
  explicit Scatter(const Problem& problem)
      : blocks_({Space::data, 0, problem.count}, problem.processes), p_(problem.processes), root_(problem.root) {}

  int from_root(int rank) const { return (rank - root_ + p_) % p_; }
  int rank_of(int from_root) const { return (from_root % p_ + root_) % p_; }
  const Blocks& blocks() const { return blocks_; }

  // Along a binomial tree: the process at distance d from the root has blocks d .. last_held(d) - 1 then: its own and
  // those that it passed on.
  void binomial(int rank, Schedule* schedule) const;
  int last_held(int from_root) const { return std::min(p_, from_root + reach(from_root)); }

 private:
  // The lowest bit of a distance; of the root's, 0, the first power of two that isn't less than p.
  int reach(int from_root) const {
    int bit = 1;
    while (bit < p_ && !(from_root & bit)) bit *= 2;
    return bit;
  }

  Blocks blocks_;
  int p_, root_;
};

}  // namespace leadline::collectives
