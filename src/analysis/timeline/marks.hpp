// What a page draws a step from: numbers of units since the step's start, for each call, message and rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leadline::analysis {

// Columns of a step with a value for each of its calls, which ascend by lane and time. Times in seconds since the run
// began; completed_s: NaN not known.   completion: a row, -1 none.   sends, receives: the rows of each message's ends,
// -1 in another step.
struct StepRows {
  std::span<const int32_t> lane;
  std::span<const double> begin_s, end_s, gap_s, completed_s;
  std::span<const int64_t> sent, received, completion;
  std::span<const int64_t> sends, receives;

  bool consistent() const;  // columns are of one length, and rows are rows
  // The end of the last call before the step, on the rank that began it first; 0 without calls.
  double start_s() const;
  double stop_s() const;
};

struct CallMarks {
  std::vector<int64_t> by_lane;  // how many
  std::vector<int64_t> begin, duration, bytes;
};
// Of these rows, ascending.
CallMarks call_marks(const StepRows& step, const std::vector<int64_t>& rows, size_t lanes, double unit_s);

// Messages that begin and end within the step. completion: the call that completes the receive, the same one if that
// blocks, -1 if it is not in the step.   arrival: when it ended; bytes; -1: unknown, as of a call that starts
// several.
struct MessageMarks {
  std::vector<int64_t> send, receive, completion, arrival, bytes;
};
MessageMarks message_marks(const StepRows& step, double unit_s);

// When each lane began and ended the step; -1 without calls.
struct LaneEdges {
  std::vector<int64_t> from, to;
};
LaneEdges lane_edges(const StepRows& step, size_t lanes, double unit_s);

// Rows before which their rank made calls that are not among these.
std::vector<int64_t> after_others(const StepRows& step, double unit_s);

}  // namespace leadline::analysis
