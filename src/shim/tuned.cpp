// Carries the collective out by a schedule, with the library's own functions.
#include "shim/tuned.hpp"

#include "shim/devices.hpp"
#include "shim/forms.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/plans.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

// Calls that the library makes during this are its own.
class Busy {
 public:
  Busy() { memory.busy = true; }
  ~Busy() { memory.busy = false; }
};

// Errors on our own communicator go to the program's handler, as they would have without us.
int told(int error, uint64_t comm) {
  if (error) call_real(Fn::Comm_call_errhandler, comm, static_cast<int32_t>(error));
  return error;
}

// A call without data.
bool meet(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  if (!equipped(c, rule, why)) return false;
  const Plan* plan = plan_for(c, rule, 0, 1, 0);
  if (!plan) return false;
  Moving moving = moving_of(c, rule, call, *plan);
  *error = carry_out(*plan, moving, {nullptr, nullptr, nullptr, 1});
  return true;
}

using CarryOut = bool (*)(Communicator&, const Rule&, const Call&, Reason*, int*);

CarryOut carried_out_by(Form form) {
  switch (form) {
    case Form::meeting:
      break;
    case Form::reduction:
      return reduce_blocks;
    case Form::moving:
      return move_blocks;
    case Form::moving_of_known_lengths:
      return move_all_blocks;
    case Form::exchange:
      return exchange_blocks;
    case Form::neighbours:
      return exchange_with_neighbours;
  }
  return meet;
}

}  // namespace

bool carry_out_call(Communicator& c, const Rule& rule, const Call& call, int64_t bytes, Reason* why, int* error) {
  bool done = false;
  {
    const Busy busy;
    if (__builtin_expect(shim.devices, 0) && !all_buffers_are_the_hosts(c, rule, call, bytes)) {
      *why = Reason::device;
      return false;
    }
    const auto carry_out_form = carried_out_by(form_of(collectives::facts_of(rule.operation)));
    done = carry_out_form(c, rule, call, why, error);
  }
  if (done) told(*error, c.handle);
  return done;
}

}  // namespace leadline::shim
