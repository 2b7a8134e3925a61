#include "shim/messages.hpp"

#include <string.h>

#include "collectives/words.hpp"
#include "shim/memory.hpp"
#include "shim/narrow.hpp"
#include "shim/settling.hpp"

namespace leadline::shim {

using collectives::Step;
using host::call_real;

namespace {

constexpr int32_t self_tag = 8;

const Moving& of(void* state) { return *static_cast<Moving*>(state); }

int start_send(void* state, const void* from, const Step& step, void* request) {
  const Moving& m = of(state);
  const int32_t tag = step.last ? 0 : more_flag;
  const int error = call_real(Fn::Isend, from, narrow(step.from.count), m.datatype, step.peer, tag, m.own, request);
  return error ? error : noted_error;
}

int start_receive(void* state, void* to, const Step& step, void* request) {
  const Moving& m = of(state);
  const int error = call_real(Fn::Irecv, to, narrow(step.to.count), m.datatype, step.peer, abi.any_tag, m.own, request);
  return error ? error : noted_error;
}

// Whether the message that arrived is the one that the schedule expects.
int look_at(const Moving& m, const Step& step, int64_t expected, const Arrival& came) {
  if (__builtin_expect(came.error, 0)) return came.error;
  if (came.bytes == expected && came.last == step.last) return 0;
  if (came.bytes == expected) return came.last ? abi.family->err_other : abi.family->err_truncate;
  return m.takes_less && came.last == step.last ? 0 : abi.family->err_other;
}

int wait_for(void* state, const Step& step, void* request) {
  Moving& m = *static_cast<Moving*>(state);
  return wait_for_message(m, step, request, step.to.count * m.size);
}

int reduce_here(void* state, const void* from, void* to, int64_t count) {
  const Moving& m = of(state);
  const int error = call_real(Fn::Reduce_local, from, to, narrow(count), m.datatype, m.op);
  return error ? error : noted_error;
}

int copy_here(void* state, const void* from, void* to, int64_t count) {
  const Moving& m = of(state);
  if (m.layout.one_block) {
    memcpy(to, from, static_cast<size_t>(count * m.layout.extent));
    return 0;
  }
  const int error = call_real(Fn::Sendrecv, from, narrow(count), m.datatype, m.rank, self_tag, to, narrow(count),
                              m.datatype, m.rank, self_tag, m.own, abi.status_ignore);
  return error ? error : noted_error;
}

int collective_by_the_library(const Moving& m, const void* from, const void* to, int64_t count) {
  const auto word = [](const void* address) { return reinterpret_cast<Word>(address); };
  const bool may_be_in_place = m.facts->has_result(static_cast<int32_t>(m.root) == m.rank);
  const auto n = static_cast<Word>(count);
  collectives::CallWords words{.sbuf = from == to && may_be_in_place ? abi.in_place : word(from),
                               .scount = n,
                               .stype = m.datatype,
                               .rbuf = word(to),
                               .rcount = n,
                               .rtype = m.datatype,
                               .op = m.op,
                               .root = m.root,
                               .comm = m.own};
  if (m.facts->has_one_buffer()) words.sbuf = word(to);
  return collectives::call_by_words(m.function, m.facts->arguments, words);
}

int by_the_library(void* state, const void* from, void* to, int64_t count) {
  const int error = collective_by_the_library(of(state), from, to, count);
  return error ? error : noted_error;
}

collectives::Transport transport_of(Moving* moving);

int together(void* state, const void* from, void* to, const Step& step) {
  const int error = carry_out_together(transport_of(static_cast<Moving*>(state)), from, to, step);
  return error ? error : noted_error;
}

collectives::Transport transport_of(Moving* moving) {
  return {moving,     abi.family->handle_bytes.request,
          start_send, start_receive,
          wait_for,   reduce_here,
          copy_here,  by_the_library,
          together};
}

}  // namespace

int wait_for_message(Moving& moving, const Step& step, void* request, int64_t expected) {
  if (step.peer < 0) {  // of a send
    const int error = call_real(Fn::Wait, request, abi.status_ignore);
    return error ? error : noted_error;
  }
  Arrival came;
  int error = came.wait(request);
  moving.last_came = came.last;
  if (!error) error = noted_error;
  return error ? error : look_at(moving, step, expected, came);
}

int carry_out(const Plan& plan, Moving& moving, const collectives::Buffers& buffers) {
  return carry_out(plan, moving, transport_of(&moving), buffers);
}

int carry_out(const Plan& plan, Moving& moving, const collectives::Transport& transport,
              const collectives::Buffers& buffers) {
  noted_error = 0;
  size_t failed = 0;
  const int error = collectives::execute(plan.schedule, transport, buffers, plan.requests, &failed);
  if (__builtin_expect(error, 0)) settle(plan, moving, transport, buffers, failed, error);
  return error;
}

}  // namespace leadline::shim
