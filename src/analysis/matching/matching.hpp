// The calls of one iteration on all ranks, on one clock (clocks.hpp), with sends matched to their receives.
//
// A message is known by its channel (communicator, sender, receiver, tag) and its number in it: MPI delivers the
// messages of a channel in order, so both ends count alike. A receive from anybody is counted when the source of its
// message is known. A collective is known by its communicator and its number on it. Starts of partitioned requests are
// counted apart; if a process creates several of one channel, their messages are left without an end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/iterations.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

struct MatchedCall {
  enum class Role : uint8_t { other, send, receive, both, collective };
  uint32_t process = 0;  // index
  uint32_t stream = 0;   // index within the process
  uint32_t site = 0;     // index within the stream
  std::string function;
  uint64_t iteration = 0;
  Role role = Role::other;                           // both: a Sendrecv
  double begin_ns = 0, duration_ns = 0, gap_ns = 0;  // since the first process's start
  bool polled = false;                               // polls failed in the gap
  uint64_t comm = 0;                                 // identity of the communicator; 0: not known
  int32_t source = -1, dest = -1, tag = 0;           // ranks in it, of the message sent (received, if nothing is sent)
  uint64_t number = 0;                               // in the channel or on the communicator
  int64_t partner = -1;         // index of the call at the other end; for a collective, the next rank's call
  int64_t second_partner = -1;  // for `both`: the partner of the receiving half
  bool makes_request = false;
  int64_t completion = -1;              // index of the one call that completes the requests that this one made
  int64_t out_bytes = 0, in_bytes = 0;  // that leave and reach the rank; structure::bytes_unknown
};

struct MatchedIteration {
  std::vector<MatchedCall> calls;  // of the iteration and its neighbours, by process, in order
  // Indices of the calls that send and receive each message whose ends are both known; a call may have several.
  std::vector<std::pair<size_t, size_t>> messages;
  uint64_t unmatched_sends = 0;  // sends and receives of the iteration that lack their other end
  uint64_t unmatched_receives = 0;
};

// The main loop's iterations on all processes.
class Matching {
 public:
  explicit Matching(std::vector<std::shared_ptr<trace::Process>> processes);
  // The iterations of some loop on some of the run's processes, for each of which its loop and time are given.
  // `usual`: the usual_count() of all processes of the run.
  Matching(std::vector<std::shared_ptr<trace::Process>> processes, const std::vector<ProcessLoop>& loops,
           const std::vector<ProcessTime>& times, uint64_t usual);
  ~Matching();

  // The calls of an iteration on all processes that kept its times; the iterations before and after it supply partners.
  // The time it takes depends on that iteration, not on how many came before it.
  MatchedIteration iteration(uint64_t number);

  // Every call of the loop whose times were kept, on the processes that count its iterations as most do. Times are in
  // ns of the run's time.
  struct LoopCall {
    uint32_t process;
    size_t stream;
    uint32_t site;  // within the stream
    uint64_t iteration;
    double begin_ns, end_ns, gap_ns;
    bool polled;  // polls failed in the gap
  };
  void visit_all(const std::function<void(const LoopCall&)>& each);
  // How many processes count the iterations as most do.
  size_t processes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leadline::analysis
