// A part of the run on all ranks, call by call: its messages from end to end, its collectives and fences, its one-sided
// operations, and the calls that complete its requests. It is one iteration of the main loop, or the first calls of
// every rank. Messages are matched as in matching/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "analysis/matching/window_calls.hpp"
#include "trace/call_class.hpp"

namespace leadline::analysis {

struct StepCall {
  uint32_t process = 0;
  uint32_t stream = 0;  // index within the process
  uint32_t site = 0;    // number in the profile
  trace::CallClass cls = trace::CallClass::other;
  bool margin = false;                          // of an iteration beside the one that was asked for
  bool polled = false;                          // polls failed in the gap, so it is not only computation
  double begin_ns = 0, end_ns = 0, gap_ns = 0;  // in the process's own time; the gap is before the call. 0: not timed
  double rounding_ns = 0;                       // by which the trace's rounding may have moved these
  // What most ranks compute before this call in the quickest of the iterations like this one: a busy machine only adds
  // to it. And what a single rank computes there for long in each of several iterations; 0: none does.
  double least_gap_ns = 0, sure_gap_ns = 0;
};

struct StepMessage {
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t send = none, receive = none;            // the calls that send it, and that post its receive
  uint32_t send_done = none, receive_done = none;  // the calls that complete these (the same ones if they block)
  uint32_t probe = none;                           // the call that waited until the message was there
  int64_t bytes = 0;
  bool wildcard = false;
};

// A collective, or a call of all ranks of a window.
struct StepCollective {
  struct Member {
    uint32_t call = 0;
    uint32_t done = StepMessage::none;    // the call that completes it; the same one if it blocks
    int32_t rank = -1;                    // in the communicator
    int64_t out_bytes = 0, in_bytes = 0;  // contributed and collected
    bool rooted = false, is_root = false;
    bool by_rank = false;                           // how much it gets from each rank is an argument of its own:
    std::shared_ptr<const std::vector<bool>> from;  // whether it gets anything from it; nullptr: unknown
  };
  std::vector<Member> members;  // of those that were recorded, by process
  int32_t size = 0;             // of the communicator; 0: unknown, or members differ in it
  bool complete() const { return size > 0 && members.size() == static_cast<size_t>(size); }
};

struct Step {
  bool found = false;
  bool timed = false;  // the times of its calls are known
  uint64_t iteration = 0;
  std::vector<StepCall> calls;                        // by process and thread, in order
  std::vector<StepMessage> messages;                  // those with both ends
  std::set<uint32_t> processes;                       // that have calls; others may count other iterations
  std::map<uint32_t, std::vector<uint32_t>> sent_at;  // by call site: the messages that it sends
  uint64_t unmatched = 0;                             // ends without the other one
  std::vector<StepCollective> collectives;
  StepAccesses accesses;                                  // to windows
  std::map<uint32_t, std::vector<uint32_t>> operated_at;  // by call site: the operations that it is
  std::vector<StepEpoch> epochs;                          // of Part::whole: for others not all are known
};

}  // namespace leadline::analysis
