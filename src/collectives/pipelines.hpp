// Messages that go along a tree in segments: while one is passed on, the next is received.
#pragma once

#include <algorithm>
#include <vector>

#include "collectives/blocks.hpp"
#include "collectives/trees.hpp"

namespace leadline::collectives {

// From the root to all: segment after segment, in order.
class PassDown {
 public:
  // So many segments may be on their way to the children when the next is sent.
  PassDown(Schedule* schedule, TreeLinks links, const Segments& segments, int64_t ahead = 1)
      : schedule_(schedule), links_(std::move(links)), segments_(segments), ahead_(ahead) {}

  void advance(int64_t segment);  // 0, 1, ...
  void finish();                  // after the last
  void all();

 private:
  void wait_for_sends(size_t but_for);

  Schedule* schedule_;
  TreeLinks links_;
  Segments segments_;
  int64_t ahead_;
  uint32_t arriving_ = no_request;
  std::vector<uint32_t> sends_;
  size_t waited_for_ = 0;  // of sends_
};

// From all to the root, reduced on the way in the order of ranks. `data` is where the root's result goes; other ranks
// do not touch it unless `data_is_free` says that it may be used for data in transit.
class ReduceUp {
 public:
  ReduceUp(Schedule* schedule, const OrderedTreeLinks& links, const Segments& data, bool data_is_free);

  // Where the input is the data, a segment of it may be overwritten when three more were advanced, or after finish().
  void advance(int64_t segment);
  void finish();
  void all();

 private:
  static constexpr int slots = 3;
  void receive(int64_t segment);
  Range slot(Range slots_of, int64_t segment) const;

  Schedule* schedule_;
  OrderedTreeLinks links_;
  Segments data_;
  bool data_is_free_;
  Range left_, right_, own_;  // scratch: `slots` segments each
  uint32_t from_left_[slots], from_right_[slots], sends_[slots];
};

}  // namespace leadline::collectives
