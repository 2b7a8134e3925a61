// A recorded run as loops of leaves, with the times of each rank: what changes work on (changes/), and what is
// translated into a program afterwards.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "calls/class_trees.hpp"
#include "replay/recorded_shape.hpp"
#include "replay/varied.hpp"
#include "trace/process.hpp"

namespace leadline::replay {

// Instead of a communicator's identity, on a rank that a change leaves out of a collective.
inline constexpr uint64_t left_out = UINT64_MAX;

struct TreeLeaf {
  calls::Leaf leaf;
  uint32_t number = structure::no_index;  // in the whole run; no_index: a change made it
  // Made by a change: one of its calls stands for so many of another leaf. 0: its messages are part of another call's.
  uint32_t stands_for = 1;
  uint32_t of = 0;          // that leaf
  bool removed = false;     // by a change: its calls are not made
  bool one_by_one = false;  // it varies, and members have what each of its calls does
  bool gathers = false;     // made by a change, in place of messages to one rank
  bool unblocked = false;   // by a change: its calls were blocking
  bool relaxed = false;     // by a change: its sends waited for their receivers
  bool inserted = false;    // by a change: a wait that was not there
  bool spread = false;      // made by a change: messages in place of a collective
  double takes = 1;         // by a change: what the calls' own time is multiplied with
};

struct TreeClass {
  RecordedShape shape;
  std::vector<TreeLeaf> leaves;
  uint64_t lost_calls = 0;
};

// Polls in a row that found nothing, before a call that they did not wait for: a part of what is computed before it.
struct VainPolls {
  uint32_t leaf = 0, call = 0;  // of the call
  uint32_t site = 0;            // of the polls, in the run
  uint64_t polls = 0;           // to a power of two
  float ns = 0, one_ns = 0;     // of all, with what lies between them; of one of them
};

struct TreeMember {  // a rank
  size_t of_class = 0, number = 0;
  uint32_t node = 0;
  double begin_ns = 0;                                   // of its first call, in the run's time; NaN: unknown
  std::vector<std::vector<float>> before_ns, during_ns;  // by leaf, in the calls' order; NaN: not kept
  std::vector<VainPolls> polls;                          // whose times were kept
  VariedLeaves varied;                                   // empty: calls of leaves that vary are not replayed

  const structure::LeafTimes& times(const TreeClass& c, size_t leaf) const {
    return c.leaves[leaf].leaf.times.of(number);
  }
};

struct Tree {
  std::vector<TreeClass> classes;
  std::vector<TreeMember> members;                         // by rank
  uint32_t main_loop = 0;                                  // 0: there is none
  std::map<uint64_t, std::vector<int32_t>> communicators;  // and windows, by identity: members in MPI_COMM_WORLD
  std::map<uint64_t, std::vector<trace::GridSide>> grids;  // by identity, of the Cartesian ones whose sides are known
  uint64_t filled = 0;                                     // times that were not kept, where a change put their mean

  // Whether the main loop's last iteration is, on some rank, one that no other is like: with more iterations, it may be
  // the last one's only, or one that comes again after many.
  bool last_is_apart() const;
  // Whether that is taken to be the last one's only, with so many iterations.   last_repeats: it is taken to come
  // again.
  bool last_stays(uint64_t steps, bool last_repeats) const;

  // The computation before each call. Those that were not kept get what is left of the leaf's sum.
  void fill(TreeMember* member, size_t leaf);
};

}  // namespace leadline::replay
