// The main loop of a recorded program cut where all ranks come by in the same order, so that what they compute between
// one cut and the next can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/tree.hpp"

namespace leadline::replay {

// Cuts are the call sites that all ranks come by equally often and in the same order. Where the order differs, they are
// the collectives of all ranks, and where these differ, too, only the iterations' ends.
class Segments {
 public:
  // All ranks enter the main loop once and make equally many iterations.
  Segments(const Tree& tree, uint64_t iterations);

  uint64_t count() const { return ends_.size(); }
  // Segments that end at the same cut, of those below ends(), are the same part of the program.
  uint32_t end_of(uint64_t segment) const { return ends_[segment]; }
  uint32_t ends() const { return ends_of_all_; }

  // The calls of a class's members in the main loop, in their order, with the segment before each.
  using EachCall = std::function<void(uint32_t leaf, uint64_t number, uint64_t segment)>;
  void for_each_call(const Tree& tree, size_t of_class, const EachCall& each) const;

 private:
  // By class and leaf: the cut's number, from 1; 0: it is none.
  using Cuts = std::vector<std::vector<uint32_t>>;

  static Cuts common_sites(const Tree& tree);
  static Cuts collectives_of_all(const Tree& tree);
  bool agree_on(const Tree& tree, Cuts cuts);

  uint64_t iterations_;
  Cuts cuts_;
  std::vector<uint32_t> ends_;  // by segment: 0: the iteration ends there
  uint32_t ends_of_all_ = 1;
};

}  // namespace leadline::replay
