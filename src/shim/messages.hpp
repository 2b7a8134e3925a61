// The messages of a schedule, over the library's own functions, and the handling of errors.
//
// A program may give one rank another count than the others. Its collective is then wrong, and MPI libraries react
// differently, but all of them report a message that is longer than its buffer. A schedule cannot be compared
// beforehand without extra messages. The tag of every message therefore says whether it is the last from its sender to
// its receiver, and a receiver checks what arrived:
//   longer, or followed by more than it expects        MPI_ERR_TRUNCATE
//   shorter, or the last where it expects more         MPI_ERR_OTHER, as MPICH reports for a broadcast
// A shorter message is accepted where libraries accept it and the schedule moves the data as one message, because the
// data that arrived are then right. A rank with an error still completes the schedule, so that no rank waits for it.
// Its messages are empty, and their tags carry the error to the receivers.
#pragma once

#include "collectives/execute.hpp"
#include "shim/moving.hpp"
#include "shim/plan.hpp"

namespace leadline::shim {

// Waits for a message of so many bytes, which the step expects.
int wait_for_message(Moving& moving, const collectives::Step& step, void* request, int64_t expected);

// Executes the schedule by the functions of `transport`. Returns an error code of MPI; whatever it is, no request
// is left.
int carry_out(const Plan& plan, Moving& moving, const collectives::Transport& transport,
              const collectives::Buffers& buffers);

// Executes the schedule. Returns an error code of MPI; whatever it is, no request is left.
int carry_out(const Plan& plan, Moving& moving, const collectives::Buffers& buffers);

}  // namespace leadline::shim
