// The messages of a schedule, over the library's own functions, and what becomes of them when something goes wrong.
//
// A program may give one rank another count than the others. Its collective is wrong then, and what MPI libraries make
// of it differs; they all tell a message that is longer than the buffer it comes to. A schedule cannot be compared
// beforehand without messages of its own, so every message says by its tag whether it is the last from its sender to
// its receiver, and a receiver looks at what came:
//   longer, or followed by more than it expects        MPI_ERR_TRUNCATE
//   shorter, or the last where it expects more         MPI_ERR_OTHER, which is what MPICH tells of a broadcast
// A shorter message is let pass where libraries let it pass, and the schedule moves the data as one: then what came is
// right. Once a rank has an error it does what the schedule says to the end, so that nobody waits for it, but what it
// sends is empty, and its tag tells the error: the receivers have the same one.
#pragma once

#include "collectives/execute.hpp"
#include "shim/plan.hpp"

namespace leadline::shim {

// What the schedule's steps need to know of the call.
struct Moving {
  uint64_t own, datatype, op, root;
  Layout layout;
  collectives::Operation operation;
  int32_t rank;
  int64_t size;             // bytes of an element
  bool takes_less = false;  // a message that is shorter than expected is no error, as in the libraries
  bool last_came = false;   // the message waited for last was the last from its sender
};

// MPICH does, and what is built on it; Open MPI does not.
bool library_tells_shorter_broadcasts();

// Executes the schedule. Returns an error code of MPI; whatever it is, no request is left.
int carry_out(const Plan& plan, Moving& moving, const collectives::Buffers& buffers);

}  // namespace leadline::shim
