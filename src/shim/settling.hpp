// After an error: the messages that the rank still owes the others, and those that they have sent or will send to it.
#pragma once

#include "collectives/execute.hpp"
#include "shim/moving.hpp"
#include "shim/plan.hpp"

namespace leadline::shim {

// Tags of messages on our own communicator: whether the sender has more for the receiver in this call, and in a message
// without data what error the sender has.
constexpr int32_t more_flag = 1, truncated_flag = 2, other_error_flag = 4;

// A message that came.
struct Arrival {
  int64_t bytes = 0;
  bool last = true;  // also where the library does not say
  int error = 0;     // class of the sender's own

  // Waits for a receive. Returns the library's error, as far as it returns any.
  int wait(void* request);
  // Receives one and discards it.
  void discard(int32_t source, uint64_t comm);

 private:
  void read(const char* status);
};

// Completes the schedule from the failed step on: sends messages that are errors at their receivers, and receives and
// discards the others. Afterwards no request is left, and no message of this call can meet the next one.
void settle(const Plan& plan, Moving& moving, const collectives::Transport& transport,
            const collectives::Buffers& buffers, size_t failed, int error);

}  // namespace leadline::shim
