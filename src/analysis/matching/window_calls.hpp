// What the calls of a thread do to windows: which synchronisation completes an operation, and which epochs of other
// ranks belong to one's own.
//
// The groups of MPI_Win_start and MPI_Win_post are not in the record. But a rank that operated at a target in as many
// of its epochs as that target exposed its window is in the group of each, and MPI matches them in order.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "structure/decoded_call.hpp"

namespace leadline::analysis {

// A put, get or accumulate.
struct StepOperation {
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t call = 0;
  uint32_t opened_by = none;  // the last MPI_Win_start or lock of the same rank before it
  uint32_t closed_by = none;  // the synchronisation of the same rank that completes it
  int32_t target = -1;        // rank in MPI_COMM_WORLD
  uint64_t window = 0;        // identity
};

// A call after which the operations of others in an epoch are complete, and the one that exposed the window.
struct StepExposure {
  uint32_t posted = 0, call = 0;
  uint64_t window = 0;
};

// By process and thread, in order.
struct StepAccesses {
  std::vector<StepOperation> operations;
  std::vector<StepExposure> exposures;
};

// From MPI_Win_start to MPI_Win_complete on the origin, and from MPI_Win_post to MPI_Win_wait on a target. A wait that
// was polled for does not count.
struct StepEpoch {
  uint32_t start = 0, complete = 0, post = 0, wait = StepOperation::none;
};

// The epochs of all ranks, in each rank's order.
class Epochs {
 public:
  struct Ends {
    uint32_t thread;
    uint32_t first, last;
  };
  void access(uint64_t window, int32_t origin, int32_t target, const Ends& ends) {
    accesses_[{window, origin, target}].push_back(ends);
  }
  void expose(uint64_t window, int32_t target, const Ends& ends) { exposures_[{window, target}].push_back(ends); }
  // Pairs of epochs known to match, if all epochs of the run were added.
  std::vector<StepEpoch> matched() const;

 private:
  std::map<std::tuple<uint64_t, int32_t, int32_t>, std::vector<Ends>> accesses_;
  std::map<std::pair<uint64_t, int32_t>, std::vector<Ends>> exposures_;
};

class WindowCalls {
 public:
  struct Caller {
    int32_t rank;     // in MPI_COMM_WORLD
    uint32_t thread;  // of its process
  };
  // The thread's next call on a window, by its number in the step. True: it is an operation.
  bool take(uint32_t at, const structure::DecodedCall& call, std::string_view function, const Caller& caller,
            StepAccesses* found, Epochs* epochs);

 private:
  struct Window {
    std::vector<size_t> open;  // operations that nothing has completed yet
    uint32_t opened = StepOperation::none, started = StepOperation::none, posted = StepOperation::none;  // calls
  };
  void complete(uint32_t at, uint64_t identity, bool epoch, const Caller& caller, Window* window,
                std::vector<StepOperation>* operations, Epochs* epochs);
  std::map<uint32_t, Window> windows_;  // by number
};

}  // namespace leadline::analysis
