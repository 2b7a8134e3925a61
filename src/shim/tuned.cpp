// Carries the collective out by a schedule, with the library's own functions.
#include "shim/tuned.hpp"

#include "shim/forms.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/plans.hpp"

namespace leadline::shim {

using collectives::OperationFacts;
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

}  // namespace

bool carry_out_call(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  bool done = false;
  {
    const Busy busy;
    const OperationFacts& facts = collectives::facts_of(rule.operation);
    const auto carry_out_form = !facts.has_data              ? meet
                                : facts.reduces              ? reduce_blocks
                                : !facts.sizes_are_known()   ? exchange_blocks
                                : facts.has_counts_by_rank() ? move_all_blocks
                                                             : move_blocks;
    done = carry_out_form(c, rule, call, why, error);
  }
  if (done) told(*error, c.handle);
  return done;
}

}  // namespace leadline::shim
