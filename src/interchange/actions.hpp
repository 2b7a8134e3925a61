// The calls of a rank as what a simulator replays: computation, messages between ranks of MPI_COMM_WORLD, and
// collectives of all ranks.
//
// A receive from any source learns its sender when it completes: actions are held back until then. Each communicator
// gets its own tags, so that its messages are not mistaken for others.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/class_trees.hpp"
#include "interchange/exporting.hpp"

namespace leadline::interchange {

struct Action {
  enum class Kind : uint8_t { compute, send, receive, wait, collective };
  Kind kind = Kind::compute;
  double ns = 0;                    // of computation
  int32_t partner = -1, tag = 0;    // a rank of MPI_COMM_WORLD; of a wait, those of its request's message
  bool sends = false;               // a wait for a send
  uint64_t request = 0;             // 0: it blocks
  int64_t bytes = 0, in_bytes = 0;  // of a collective, each rank's share as passed: what it gives, what it takes
  std::string collective;           // "allreduce"
  int32_t root = -1;
  std::vector<int64_t> counts, in_counts;  // bytes by rank, of collectives with vectors
};

struct ActionSums {
  uint64_t actions = 0, messages = 0, collectives = 0;
  uint64_t unmatched = 0;  // ends of messages whose other end is not exported
  uint64_t estimated = 0;  // computations that are means, for their own times were not kept
  uint64_t parts = 0;      // collectives of some ranks, or unknown to simulators, which were left out
  uint64_t threads = 0;    // calls of further threads, which were left out
  uint64_t untold = 0;     // receives from anybody whose sender is unknown, which were left out
};

class Actions {
 public:
  Actions(const analysis::Profile& profile, uint32_t loop, const Window& window) : exporting_(profile, loop, window) {}

  void scan(const trace::Process& process, uint32_t index);
  void settle() { exporting_.settle(); }
  using Give = std::function<void(const Action&)>;
  void visit(const trace::Process& process, uint32_t index, const Give& give);
  ActionSums sums() const;

 private:
  class Reading;
  int32_t tag_of(const MessageEnd& end) const;

  calls::RunNumbers numbers(uint32_t index) const;
  // The leaf of the call; nullptr: it is unknown.
  const calls::Leaf* leaf(const CallStream& call, const calls::Membership& member) const {
    return call.leaf() == structure::no_call ? nullptr : classes_.classes()[member.of].leaf(call.leaf());
  }

  Exporting exporting_;
  calls::ClassTrees classes_;                             // of the processes' first threads
  std::map<uint32_t, calls::Membership> members_;         // by process
  std::map<std::pair<uint64_t, int32_t>, int32_t> tags_;  // by communicator and tag
  std::map<int32_t, uint64_t> taken_;                     // by tag: the communicator that keeps it
  int32_t free_tag_ = 1 << 20;
  ActionSums sums_;
};

}  // namespace leadline::interchange
