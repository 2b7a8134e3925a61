// The calls of one iteration on all ranks, on one clock (clocks.hpp), with sends matched to their receives.
//
// A message is identified by its channel (communicator, sender, receiver, tag) and its number in it: MPI delivers the
// messages of a channel in order, so both ends count alike. A receive from anybody is counted when the source of its
// message is known. A collective is identified by its communicator and its number there. Starts of partitioned requests
// are counted separately; if a process creates several of one channel, their messages are left without an end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/clocks.hpp"
#include "analysis/iterations.hpp"
#include "analysis/matching/matched_calls.hpp"
#include "trace/process.hpp"
#include "trace/structure.hpp"

namespace leadline::analysis {

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
