#include "shim/settling.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

namespace leadline::shim {

using collectives::Step;
using host::call_real;

namespace {

constexpr size_t status_bytes = 64;  // more than any library's

int64_t bytes_of(const char* status) {
  if (abi.status.count_code != host::CountCode::ask) return host::bytes_in(abi.status, status);
  int32_t bytes = 0;
  return call_real(Fn::Get_count, status, abi.byte, &bytes) == 0 ? bytes : 0;
}

class Settling {
 public:
  Settling(const Plan& plan, const Moving& moving, const collectives::Transport& transport)
      : schedule_(plan.schedule), moving_(moving), transport_(transport), requests_(plan.requests) {
    int most = -1;
    for (const Step& step : schedule_.steps) most = std::max(most, step.peer);
    from_.resize(static_cast<size_t>(most + 1));
    pending_.resize(schedule_.requests);
  }

  // The steps done until then.
  void catch_up(size_t failed) {
    for (size_t i = 0; i <= failed; ++i) {
      const Step& step = schedule_.steps[i];
      if (step.kind == Step::Kind::receive) from_[peer(step)].expected = true;
      if (step.kind == Step::Kind::send || step.kind == Step::Kind::receive) {
        if (i < failed) start(step);
      } else if (step.kind == Step::Kind::wait) {
        pending_[step.request] = false;
        const bool last = i < failed ? step.last : moving_.last_came;
        if (step.peer >= 0 && last) from_[peer(step)].finished = true;
      }
    }
  }

  void go_on(size_t failed, const collectives::Buffers& buffers, bool truncated) {
    for (size_t i = failed + 1; i < schedule_.steps.size(); ++i) {
      const Step& step = schedule_.steps[i];
      switch (step.kind) {
        case Step::Kind::send:
          send(step, truncated);
          break;
        case Step::Kind::receive:  // taken when it is waited for
          from_[peer(step)].expected = true;
          break;
        case Step::Kind::wait:
          wait(step);
          break;
        case Step::Kind::native:  // the others do it too
          transport_.native(transport_.state, buffers.at(step.from), buffers.at(step.to), step.to.count);
          break;
        case Step::Kind::together:
          transport_.together(transport_.state, buffers.at(step.from), buffers.at(step.to), step);
          break;
        case Step::Kind::copy:
        case Step::Kind::reduce:
          break;
      }
    }
  }

  // Messages still to come from ranks that have more to send than the schedule says.
  void drain() {
    for (size_t source = 0; source < from_.size(); ++source) {
      Sender& sender = from_[source];
      while (sender.expected && !sender.finished) discard_from(sender, static_cast<int32_t>(source));
    }
  }

 private:
  struct Sender {
    bool expected = false, finished = false;  // finished: its last message came
    std::vector<uint32_t> posted;             // receives from it, in order
  };

  static size_t peer(const Step& step) { return static_cast<size_t>(step.peer); }
  void* request(uint32_t number) const { return requests_ + size_t{number} * transport_.request_bytes; }

  void start(const Step& step) {
    pending_[step.request] = true;
    if (step.kind == Step::Kind::receive) from_[peer(step)].posted.push_back(step.request);
  }

  void send(const Step& step, bool truncated) {
    const int32_t nothing = 0, tag = (step.last ? 0 : more_flag) | (truncated ? truncated_flag : other_error_flag);
    if (call_real(Fn::Isend, &unread_, nothing, abi.byte, step.peer, tag, moving_.own, request(step.request)) == 0) {
      start(step);
    }
  }

  void wait(const Step& step) {
    if (step.peer < 0) {
      if (pending_[step.request]) call_real(Fn::Wait, request(step.request), abi.status_ignore);
      pending_[step.request] = false;
      return;
    }
    // Messages from one rank come in the order of the receives, whatever order they are waited for.
    Sender& sender = from_[peer(step)];
    for (const uint32_t number : sender.posted) {
      if (pending_[number]) {
        pending_[number] = false;
        if (sender.finished) call_real(Fn::Cancel, request(number));
        Arrival came;
        came.wait(request(number));
        sender.finished = sender.finished || came.last;
      }
      if (number == step.request) return;
    }
    discard_from(sender, step.peer);
  }

  void discard_from(Sender& sender, int32_t rank) {
    if (sender.finished) return;
    Arrival came;
    came.discard(rank, moving_.own);
    sender.finished = came.last;
  }

  const collectives::Schedule& schedule_;
  const Moving& moving_;
  const collectives::Transport& transport_;
  char* const requests_;
  std::vector<Sender> from_;
  std::vector<bool> pending_;
  char unread_ = 0;
};

}  // namespace

void Arrival::read(const char* status) {
  int32_t tag = 0;
  memcpy(&tag, status + abi.status.tag, sizeof(tag));
  if (tag < 0) return;  // not filled in
  last = !(tag & more_flag);
  if (tag & (truncated_flag | other_error_flag)) {
    error = tag & truncated_flag ? abi.family->err_truncate : abi.family->err_other;
  }
  bytes = bytes_of(status);
}

int Arrival::wait(void* request) {
  alignas(8) char status[status_bytes];
  memset(status + abi.status.tag, 0xff, sizeof(int32_t));
  const int error = call_real(Fn::Wait, request, &status);
  read(status);
  return error;
}

// Into memory that is long enough: Open MPI 5 does not survive all messages that are cut.
void Arrival::discard(int32_t source, uint64_t comm) {
  alignas(8) char status[status_bytes];
  memset(status + abi.status.tag, 0xff, sizeof(int32_t));
  if (call_real(Fn::Probe, source, abi.any_tag, comm, &status) == 0) read(status);
  void* const memory = malloc(static_cast<size_t>(bytes) + 1);
  const int32_t length = memory ? static_cast<int32_t>(bytes) : 0;
  call_real(Fn::Recv, memory, length, abi.byte, source, abi.any_tag, comm, abi.status_ignore);
  free(memory);
}

void settle(const Plan& plan, Moving& moving, const collectives::Transport& transport,
            const collectives::Buffers& buffers, size_t failed, int error) {
  int32_t error_class = 0;
  call_real(Fn::Error_class, error, &error_class);
  moving.failed = error_class == abi.family->err_truncate ? error_class : abi.family->err_other;
  Settling settling(plan, moving, transport);
  settling.catch_up(failed);
  settling.go_on(failed, buffers, error_class == abi.family->err_truncate);
  settling.drain();
}

}  // namespace leadline::shim
