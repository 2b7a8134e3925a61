// Reductions, whose elements are those of the program's datatype.
#include <pthread.h>

#include <vector>

#include "shim/forms.hpp"
#include "shim/layouts.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/plans.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

using collectives::OperationFacts;
using host::call_real;

namespace {

// Whether the predefined operation takes the predefined datatype: the library is asked with an element of zeros. Errors
// are left to the library, so that the user sees its own message.
bool takes(uint64_t op, uint64_t datatype, int64_t extent) {
  static std::atomic<uint64_t> known[256];
  const uint64_t key = (op * 0x9e3779b97f4a7c15u) ^ datatype;
  std::atomic<uint64_t>& slot = known[spread(key, 56)];
  if (slot.load(std::memory_order_relaxed) == key) return true;
  alignas(64) char zeros[2][64] = {};
  if (extent > static_cast<int64_t>(sizeof(zeros[0]))) return false;
  static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&asking);
  const int32_t one = 1;
  // Not by MPI_Reduce_local: libraries differ in whose error handler it calls.
  noted_error = 0;
  const bool taken = call_real(Fn::Allreduce, zeros[0], zeros[1], one, datatype, op, shim.alone) == 0 && !noted_error;
  pthread_mutex_unlock(&asking);
  if (taken) slot.store(key, std::memory_order_relaxed);
  return taken;
}

// Whether the schedule may be used for the operation of a reduction.
bool reducible(const Rule& rule, uint64_t op, uint64_t datatype, const Layout& layout, Reason* why) {
  *why = Reason::operation;
  constexpr int replace = op_index("MPI_REPLACE"), no_op = op_index("MPI_NO_OP");  // not looked up in every call
  static_assert(replace >= 0 && no_op >= 0);
  if (op == abi.ops[replace] || op == abi.ops[no_op]) return false;
  if (layout.extent <= 0) return false;
  for (const uint64_t predefined : abi.ops) {
    if (op == predefined) return layout.named && takes(op, datatype, layout.extent);
  }
  int32_t commutative = 0;
  if (call_real(Fn::Op_commutative, op, &commutative) != 0) return false;
  *why = Reason::not_commutative;
  return commutative || !rule.algorithm->needs_commutative;
}

}  // namespace

bool reduce_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  const OperationFacts& facts = collectives::facts_of(rule.operation);
  const int32_t root = facts.has_root ? static_cast<int32_t>(call.root) : 0;
  const bool may_be_in_place = facts.has_result(root == c.rank);
  const CountsByRank counts{reinterpret_cast<const void*>(call.from.counts), call.large};
  const bool has_result =
      may_be_in_place && facts.reduced_until(c.rank, c.processes) > 0 && (!counts.array || counts[c.rank] > 0);
  const bool in_place = call.from.buffer == abi.in_place;
  const int64_t count = call.from.count, size = call.from.size;
  const uint64_t datatype = abi.datatype(call.from.datatype);
  const uint64_t op = Abi::handle(call.op, abi.family->handle_bytes.op);
  *why = Reason::arguments;
  if (root < 0 || root >= c.processes || (in_place && !may_be_in_place)) return false;
  const Layout layout = layout_of(datatype, size);
  if (layout.named && (!call.from.buffer || (has_result && !call.to.buffer))) return false;
  if (has_result && call.from.buffer == call.to.buffer) return false;
  if (op == Abi::handle(abi.op_null, abi.family->handle_bytes.op) || !reducible(rule, op, datatype, layout, why)) {
    return false;
  }
  if (!equipped(c, rule, why)) return false;
  if (rule.algorithm->needs_memory && !fits_into_memory(layout)) return false;
  std::vector<int64_t> by_rank;
  for (int32_t rank = 0; counts.array && rank < c.processes; ++rank) by_rank.push_back(counts[rank]);
  const Plan* plan = plan_for(c, rule, count, size, root, {counts.array ? by_rank.data() : nullptr});
  if (!plan) return false;
  Moving moving = moving_of(c, rule, call, *plan);
  moving.datatype = datatype;
  moving.op = op;
  moving.layout = layout;
  moving.size = size;
  if (rule.algorithm->needs_memory && layout.one_block) moving.combine = combine_of(op, datatype, size);
  const bool spare_data = !has_result && plan->uses_data;
  const int64_t elements = plan->schedule.scratch_elements + (spare_data ? count : 0);
  const Scratch scratch(elements ? static_cast<size_t>(elements * layout.extent + layout.true_extent) : 0);
  if (elements && !scratch.get()) {
    *error = error_without_memory;
    return true;
  }
  char* const base = elements ? scratch.get() - layout.true_lb : nullptr;
  char* const data =
      spare_data ? base + plan->schedule.scratch_elements * layout.extent : reinterpret_cast<char*>(call.to.buffer);
  const char* const input = in_place ? data : reinterpret_cast<const char*>(call.from.buffer);
  *error = carry_out(*plan, moving, {data, input, base, layout.extent});
  return true;
}

}  // namespace leadline::shim
