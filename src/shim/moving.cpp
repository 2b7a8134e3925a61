#include "shim/moving.hpp"

#include <string.h>

#include "leadline/shim_collectives.hpp"

namespace leadline::shim {

using collectives::OperationFacts;

namespace {

// MPICH does, and libraries built on it; Open MPI does not.
bool library_tells_shorter_broadcasts() { return strcmp(abi.family->name, "openmpi") != 0; }

// Whether a message that is shorter than expected is no error in the libraries, where the schedule moves whole blocks.
bool takes_less(const OperationFacts& facts, const Plan& plan) {
  if (!plan.whole) return false;
  if (facts.received.root_only || (facts.contributed.root_only && facts.contributed.block_per_rank)) return true;
  return facts.contributed.root_only && !library_tells_shorter_broadcasts();
}

}  // namespace

Moving moving_of(const Communicator& c, const Rule& rule, const Call& call, const Plan& plan) {
  const int operation = static_cast<int>(rule.operation);
  const auto& facts = collectives::facts_of_operations[operation];
  void* const function =
      host::real_functions[static_cast<int>(function_of_operation[operation])][static_cast<int>(Name::pmpi)];
  const uint64_t root = facts.has_root ? call.root : 0;
  Moving moving{c.own(), abi.byte, 0, root, {}, &facts, function, c.rank, 1, takes_less(facts, plan)};
  moving.team = c.team();
  return moving;
}

}  // namespace leadline::shim
