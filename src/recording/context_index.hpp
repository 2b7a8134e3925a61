// The contexts of a thread by what lies above and around them: those called from one, and those in a piece of code.
#pragma once

#include <cstdint>

#include "recording/live.hpp"
#include "recording/table.hpp"

namespace leadline::recording {

class ContextIndex {
 public:
  ContextIndex() = default;
  ~ContextIndex() { forget(); }
  ContextIndex(const ContextIndex&) = delete;
  ContextIndex& operator=(const ContextIndex&) = delete;

  // Takes in the contexts there are now. False: there is no memory.
  bool update(const Table<LiveContext>& contexts);
  void forget();

  // Calls visit(context) for each whose parent this is, in their order, until it returns false.
  template <class Visit>
  void each_child(uint32_t parent, Visit visit) const {
    for (uint32_t c = rows_[parent].first_child; c && visit(c); c = rows_[c].next) continue;
  }
  // Calls visit(context) for each whose frame is in (begin, end], in no order.
  template <class Visit>
  void each_within(const Table<LiveContext>& contexts, uint64_t begin, uint64_t end, Visit visit) const {
    uint32_t low = 0, high = sorted_;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (contexts[by_frame_[middle]].frame <= begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < sorted_ && contexts[by_frame_[low]].frame <= end; ++low) visit(by_frame_[low]);
    for (uint32_t c = sorted_; c < count_; ++c) {
      if (contexts[c].frame > begin && contexts[c].frame <= end) visit(c);
    }
  }

 private:
  struct Row {
    uint32_t first_child, last_child, next;  // contexts; 0: none
  };
  Row* rows_ = nullptr;           // by context
  uint32_t* by_frame_ = nullptr;  // contexts, behind the rows
  uint64_t bytes_ = 0;
  uint32_t count_ = 0;   // of contexts
  uint32_t sorted_ = 0;  // the first so many are sorted by frame; the others are searched one by one
};

}  // namespace leadline::recording
