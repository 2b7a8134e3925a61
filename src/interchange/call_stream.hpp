// The calls of one thread that an export wants, one after another: decoded, in the run's time, with the messages that
// begin and end in them. What it holds does not grow with the trace: the requests under way, and a counter a channel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/iterations.hpp"
#include "analysis/profile.hpp"
#include "calls/thread_calls.hpp"
#include "calls/traffic.hpp"
#include "interchange/followed_files.hpp"
#include "interchange/one_sided.hpp"
#include "structure/decoded_call.hpp"
#include "trace/process.hpp"

namespace leadline::interchange {

// Iterations of the step, from `first` up to and without `end`; or everything.
struct Window {
  bool whole = true;
  uint64_t first = 0, end = UINT64_MAX;
};

// One end of a message: its channel and its number there, which both ends count alike (calls/traffic.hpp).
struct MessageEnd {
  bool sends = false;
  calls::Channel channel;
  uint64_t number = 0;
  int64_t bytes = structure::bytes_unknown;  // posted; of a receive that has ended, those that came
  uint64_t request = 0;                      // number among the thread's requests; 0: the call blocks
  uint64_t identity() const { return std::get<0>(channel); }
  int32_t source() const { return std::get<1>(channel); }  // ranks in the communicator
  int32_t dest() const { return std::get<2>(channel); }
  int32_t tag() const { return std::get<3>(channel); }
};

// The collective that a nonblocking call started.
struct CollectiveUnderWay {
  uint32_t function = structure::no_index;  // that made the request
  uint64_t identity = 0;
  int32_t root = -1;
  int64_t out_bytes = structure::bytes_unknown, in_bytes = structure::bytes_unknown;
};

// A one-sided operation that has a request.
struct AccessUnderWay {
  uint64_t window = 0, operation = 0;
  bool completed = false;  // by the call that completes the request, and by none before
};

// A request that a call made or started, or completes.
struct RequestUnderWay {
  uint64_t number = 0;
  bool exported = false;  // the call that made it was exported
  bool receives = false;
  bool cancelled = false;                    // known when it completes
  std::optional<MessageEnd> sent, received;  // known; the source of a receive from anybody is known when it completes
  std::optional<CollectiveUnderWay> collective;
  std::optional<AccessUnderWay> access;
  std::optional<OpenFile> file;              // of a transfer
  int64_t moved = structure::bytes_unknown;  // of a transfer that has ended
};

// The step's loop on a process, as the report chooses it.   loop: number in Profile::loops(); 0: the main one.
analysis::ProcessLoop loop_on(const analysis::Profile& profile, uint32_t index, uint32_t loop);

class CallStream {
 public:
  struct Options {
    bool only_timed = false;  // calls without times are given, but don't count as exported
    bool times = true;        // false: begins and ends are not read
    const OpenedFiles* opened = nullptr;
    calls::Leaves leaves = {};  // to say which leaf a call is
  };
  CallStream(const trace::Process& process, size_t stream, const analysis::ProcessLoop& loop,
             const analysis::ProcessTime& time, const Window& window, const Options& options);

  bool next();  // false at the end

  // Of the call that next() went to:
  const structure::DecodedCall& call() const { return *call_; }
  const trace::TimedEvent& event() const { return thread_.event(); }
  bool polls() const { return thread_.polls(); }  // a run of polls that found nothing, `times` to a power of two
  uint64_t times() const { return thread_.times(); }
  bool timed() const { return thread_.timed(); }
  // Of all calls at its place in the trace's graph; nullptr: unknown.
  const trace::TimeStats* distribution() const { return thread_.distribution(); }
  uint32_t leaf() const { return thread_.leaf(); }
  double begin_ns() const { return begin_ns_; }  // in the run's time, ascending
  double end_ns() const { return end_ns_; }
  int64_t iteration() const { return iteration_; }                       // of the step; -1: of none
  const std::vector<MessageEnd>& sends() const { return sends_; }        // that the call starts
  const std::vector<MessageEnd>& receives() const { return receives_; }  // that end in the call
  const std::vector<RequestUnderWay>& made() const { return made_; }
  const std::vector<RequestUnderWay>& completed() const { return completed_; }
  const FollowedFiles& files() const { return files_; }
  const OneSidedOperations& one_sided() const { return one_sided_; }
  // What created the persistent collective that a part of the call starts; nullptr: that was not seen.
  const structure::DecodedCall* created(const structure::CallPart& started) const;
  uint64_t collective() const { return collective_; }  // its number on the communicator; 0: it is none

 private:
  void take();
  void follow_requests();
  void keep_creation();
  void place();

  calls::ThreadCalls thread_;
  analysis::ProcessTime time_;
  Window window_;
  bool only_timed_;
  FollowedFiles files_;
  OneSidedOperations one_sided_;
  const structure::DecodedCall* call_ = nullptr;
  int64_t iteration_ = -1;
  bool wanted_ = false;
  double begin_ns_ = 0, end_ns_ = 0, last_ns_ = 0;
  uint64_t collective_ = 0;
  std::vector<MessageEnd> sends_, receives_;
  std::vector<RequestUnderWay> made_, completed_;
  std::map<uint64_t, RequestUnderWay> under_way_;
  std::map<uint64_t, structure::DecodedCall> collectives_;  // persistent ones, by the number of their creation
};

}  // namespace leadline::interchange
