// Whether a program computes between two calls, or merely packs what it sends next: calls with computation between them
// may depend on each other, and combining them would delay the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/matching/step.hpp"
#include "analysis/profile.hpp"

namespace leadline::analysis {

class ComputationBetween {
 public:
  explicit ComputationBetween(const Profile& profile);
  // Computation after `first` until `last` begins: two calls of one thread of the step. Of each gap, the smaller of its
  // usual length over the whole run and its length in the step, so that neither one lost core nor one odd step decides.
  double ns(const Step& step, uint32_t first, uint32_t last) const;
  // The same at least: the shortest gaps of several iterations, which a busy machine does not lengthen; of a rank that
  // always computes for long, its own.
  double least_ns(const Step& step, uint32_t first, uint32_t last) const;
  // No more than it takes to copy so many bytes to and from buffers, and little of an iteration of the main loop.
  bool is_little(double ns, int64_t bytes) const {
    return ns <= shortest_ns || (is_copying(ns, bytes) && ns <= most_ns_);
  }
  // The cost of a byte: at first that of single numbers far apart, of much data that of memory.
  static bool is_copying(double ns, int64_t bytes) {
    return ns <= shortest_ns + 5 * static_cast<double>(bytes) && is_brief(ns, bytes);
  }
  // So brief that nobody notices if what follows comes first, and little of an iteration of the main loop.
  bool is_negligible(double ns, int64_t bytes) const {
    return ns <= shortest_ns || (is_brief(ns, bytes) && ns <= most_ns_);
  }
  // So short that it does not matter what becomes of it when messages are sent at another time.
  static bool is_brief(double ns, int64_t bytes) { return ns <= 20e3 + static_cast<double>(bytes); }
  // For consecutive calls: those before which the program computes for longer, by their predecessors, ascending.
  std::vector<uint32_t> breaks(const Step& step, int64_t bytes) const;
  // In one iteration of the loop, without what comes before the loop: usually, where the step has the times of its
  // calls, else the mean.
  double in_iteration_ns(const Step& step, uint32_t loop, const std::vector<uint32_t>& loop_of_site) const;

 private:
  static constexpr double shortest_ns = 2e3;  // what is computed so fast, nobody notices
  static constexpr double most_of_iteration = 0.1;
  double gap_ns(const Step& step, uint32_t call) const;
  // Of the loop, by all threads together; 0: unknown, as the loop is in no main loop.
  double iterations_in_step(uint32_t loop, size_t threads) const;
  double mean_in_iteration_ns(uint32_t loop, const std::vector<uint32_t>& loop_of_site) const;

  const Profile& profile_;
  std::vector<double> usual_ns_;  // before a call, by site: the median over ranks of their means
  double most_ns_ = 0;
};

}  // namespace leadline::analysis
