// Which calls waited, found by their thread and time: for what shows single calls.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/waits/wait_states.hpp"

namespace leadline::analysis {

// A call waits from its begin on.
struct WaitOfCall {
  double begin_ns = 0;  // in the run's time
  float waited_ns = 0;
  uint32_t kind : 4 = 0;
  uint32_t culprit : 28 = 0;  // the process that was waited for
  WaitKind what() const { return static_cast<WaitKind>(kind); }
};

class CallWaits {
 public:
  // Those of the calls of a step, without its margins.
  void add(const TimedStep& timed);
  // That of the call, nullptr if it did not wait. A time that was read in another way may differ by its rounding.
  const WaitOfCall* of(uint32_t process, uint32_t stream, double begin_ns, double duration_ns) const;

 private:
  struct Thread {
    uint32_t process = 0, stream = 0;
    std::vector<WaitOfCall> waits;  // by time
  };
  Thread& thread(uint32_t process, uint32_t stream);
  std::vector<Thread> threads_;  // by process and stream
};

}  // namespace leadline::analysis
