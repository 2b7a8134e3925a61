// Carries the collective out by a schedule, with the library's own functions.
#include "shim/tuned.hpp"

#include <pthread.h>
#include <string.h>

#include <algorithm>

#include "host/datatype_contents.hpp"
#include "leadline/shim_collectives.hpp"
#include "shim/messages.hpp"
#include "shim/plans.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

using collectives::OperationFacts;
using host::call_real;

namespace {

constexpr int error_without_memory = 1;  // MPI_ERR_BUFFER in all families

int32_t narrow(int64_t count) { return static_cast<int32_t>(count); }

int32_t combiner_of(uint64_t datatype) {
  host::Envelope envelope;
  host::envelope_of(datatype, &envelope);
  return envelope.combiner;
}

// Whether a derived datatype is nothing but elements of a predefined one, one after the other. Its own figures don't
// tell: they may hide another order.
bool is_row(uint64_t datatype, int depth = 0) {
  const host::Combiners& known = abi.family->combiners;
  const host::DatatypeContents contents(datatype);
  if (!contents.known() || depth > 8) return false;
  if (contents.combiner() != known.contiguous && contents.combiner() != known.dup) return false;
  const uint64_t of = contents.old();
  if (combiner_of(of) != known.named) return is_row(of, depth + 1);
  int32_t size = 0;
  int64_t lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  call_real(Fn::Type_size, of, &size);
  call_real(Fn::Type_get_extent, of, &lb, &extent);
  call_real(Fn::Type_get_true_extent, of, &true_lb, &true_extent);
  return lb == 0 && true_lb == 0 && extent == size && true_extent == size;
}

Layout ask_layout(uint64_t datatype, int64_t size) {
  Layout l{};
  int64_t lb = 0;
  call_real(Fn::Type_get_extent, datatype, &lb, &l.extent);
  call_real(Fn::Type_get_true_extent, datatype, &l.true_lb, &l.true_extent);
  l.named = combiner_of(datatype) == abi.family->combiners.named;
  l.one_block = lb == 0 && l.true_lb == 0 && l.extent == size && l.true_extent == size;
  if (!l.named) l.one_block = l.one_block && is_row(datatype);
  return l;
}

Layout layout_of(uint64_t datatype, int64_t size) {
  Datatype& known = datatype_at(memory, datatype);
  if (known.handle != datatype || !known.named) return ask_layout(datatype, size);
  if (!known.laid_out) {
    known.layout = ask_layout(datatype, size);
    known.laid_out = true;
  }
  return known.layout;
}

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

// The program's buffer and datatype, as MPI_Pack takes them: MPICH refuses a null pointer, which MPI_BOTTOM is, even if
// the datatype has absolute addresses. A datatype that begins earlier, used from an address later by the same amount,
// is accepted.
class Packing {
 public:
  Packing(Word buffer, int32_t count, uint64_t datatype) : buffer_(buffer), count_(count), datatype_(datatype) {
    if (buffer) return;
    constexpr int64_t away = 4096;
    const int64_t back = -away;
    const int32_t one = 1;
    if (call_real(Fn::Type_create_hindexed, one, &count, &back, datatype, &made_) != 0) return;
    call_real(Fn::Type_commit, &made_);
    buffer_ = away;
    count_ = 1;
    datatype_ = Abi::handle(made_, abi.family->handle_bytes.datatype);
  }
  ~Packing() {
    if (made_) call_real(Fn::Type_free, &made_);
  }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  int pack(char* bytes, int32_t size, uint64_t comm) const {
    int32_t position = 0;
    return call_real(Fn::Pack, buffer_, count_, datatype_, bytes, size, &position, comm);
  }
  int unpack(const char* bytes, int32_t size, uint64_t comm) const {
    int32_t position = 0;
    return call_real(Fn::Unpack, bytes, size, &position, buffer_, count_, datatype_, comm);
  }

 private:
  Word buffer_;
  int32_t count_;
  uint64_t datatype_, made_ = 0;
};

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
  if (op == abi.ops[op_index("MPI_REPLACE")] || op == abi.ops[op_index("MPI_NO_OP")]) return false;
  if (layout.extent <= 0) return false;
  for (const uint64_t predefined : abi.ops) {
    if (op == predefined) return layout.named && takes(op, datatype, layout.extent);
  }
  int32_t commutative = 0;
  if (call_real(Fn::Op_commutative, op, &commutative) != 0) return false;
  *why = Reason::not_commutative;
  return commutative || !rule.algorithm->needs_commutative;
}

// Whether a message that is shorter than expected is no error in the libraries, where the schedule moves whole blocks.
bool takes_less(const OperationFacts& facts, const Plan& plan) {
  if (!plan.whole) return false;
  if (facts.received.root_only || (facts.contributed.root_only && facts.contributed.block_per_rank)) return true;
  return facts.contributed.root_only && !library_tells_shorter_broadcasts();
}

Moving moving_of(const Communicator& c, const Rule& rule, const Call& call, const Plan& plan) {
  const int operation = static_cast<int>(rule.operation);
  const auto& facts = collectives::facts_of_operations[operation];
  void* const function =
      host::real_functions[static_cast<int>(function_of_operation[operation])][static_cast<int>(Name::pmpi)];
  const uint64_t root = facts.has_root ? call.root : 0;
  return {c.own(), abi.byte, 0, root, {}, &facts, function, c.rank, 1, takes_less(facts, plan)};
}

// What a rank has of one side of a call that moves blocks as they are.
struct Part {
  bool there = false;  // in a buffer of its own
  CallSide side{};
  uint64_t datatype = 0;
  Layout layout{};
  int64_t blocks = 1;

  int64_t block_bytes() const { return side.count * side.size; }
  int32_t elements() const { return narrow(side.count * blocks); }

  // False: its arguments make no sense, or are left to the library to judge.
  bool look(const CallSide& given, int64_t blocks_of_it) {
    there = true;
    side = given;
    blocks = blocks_of_it;
    datatype = abi.datatype(side.datatype);
    if (side.count < 0 || (side.size = size_of(memory, datatype)) < 0) return false;
    if (side.count && side.size > INT32_MAX / blocks / side.count) return false;
    layout = layout_of(datatype, side.size);
    return side.buffer || !layout.named;
  }
  char* at(int64_t block) const { return reinterpret_cast<char*>(side.buffer) + block * side.count * layout.extent; }
};

// A call whose blocks are moved and not reduced. They are moved as bytes, because the sides' datatypes may differ.
class Move {
 public:
  Move(Communicator& c, const Rule& rule, const Call& call)
      : c_(c), rule_(rule), call_(call), facts_(collectives::facts_of(rule.operation)) {}

  bool run(Reason* why, int* error) {
    *why = Reason::arguments;
    if (!look()) return false;
    *why = Reason::no_communicator;
    if (!c_.ready()) return false;
    *why = Reason::refused;
    const Plan* plan = plan_for(c_, rule_, block_bytes_, 1, root_);
    if (!plan) return false;
    *error = is_direct() ? directly(*plan) : packed(*plan);
    if (!*error && received_.there && contributed_.there && contributed_.block_bytes() > block_bytes_) {
      *error = abi.family->err_truncate;
    }
    return true;
  }

 private:
  bool look() {
    root_ = facts_.has_root ? static_cast<int32_t>(call_.root) : 0;
    if (root_ < 0 || root_ >= c_.processes) return false;
    const bool is_root = facts_.has_root && root_ == c_.rank;
    bool contributes = facts_.contributes(is_root), receives = facts_.receives(is_root);
    contributes_in_place_ = !facts_.has_one_buffer() && contributes && call_.from.buffer == abi.in_place;
    keeps_own_ = !facts_.has_one_buffer() && receives && call_.to.buffer == abi.in_place;
    if (contributes_in_place_ || keeps_own_) {
      // Who hands out blocks keeps its own; everybody else contributes in place.
      const bool hands_out = facts_.contributed.root_only && facts_.contributed.block_per_rank;
      if (facts_.in_place != collectives::InPlace::all && !is_root) return false;
      if (hands_out ? contributes_in_place_ : keeps_own_) return false;
    }
    contributes = contributes && !contributes_in_place_;
    receives = receives && !keeps_own_;
    if (contributes && !contributed_.look(call_.from, facts_.blocks_contributed(c_.processes))) return false;
    if (receives && !received_.look(call_.to, facts_.blocks_received(c_.processes))) return false;
    block_bytes_ = receives ? received_.block_bytes() : contributed_.block_bytes();
    if (contributes_in_place_ && facts_.exchanges()) {
      contributed_ = received_;
      is_copied_ = true;
    }
    return true;
  }

  bool is_direct() const {
    return (!contributed_.there || (contributed_.layout.one_block && contributed_.block_bytes() == block_bytes_)) &&
           (!received_.there || received_.layout.one_block);
  }

  // A rank's own block where it contributes what lies in the buffer of the result.
  int64_t own_block() const { return facts_.received.block_per_rank ? c_.rank : 0; }

  Moving moving(const Plan& plan) const {
    Moving moving = moving_of(c_, rule_, call_, plan);
    moving.layout.one_block = true;
    moving.layout.extent = 1;
    return moving;
  }

  int directly(const Plan& plan) const {
    const int64_t own = plan.schedule.scratch_elements, copied = is_copied_ ? block_bytes_ * contributed_.blocks : 0;
    const Scratch scratch(static_cast<size_t>(own + copied));
    if (own + copied && !scratch.get()) return error_without_memory;
    const bool one_buffer = facts_.has_one_buffer() && contributed_.there;
    char* const data = received_.there            ? received_.at(0)
                       : one_buffer || keeps_own_ ? contributed_.at(keeps_own_ ? c_.rank : 0)
                                                  : nullptr;
    const char* input = contributed_.there ? contributed_.at(0) : data + own_block() * block_bytes_;
    if (is_copied_) input = static_cast<char*>(memcpy(scratch.get() + own, data, static_cast<size_t>(copied)));
    Moving moved = moving(plan);
    return carry_out(plan, moved, {data, input, scratch.get(), 1});
  }

  // By way of buffers of bytes, those of the algorithm first, then the result, then what is contributed.
  int packed(const Plan& plan) const {
    const bool has_result = received_.there || facts_.has_one_buffer();
    const int64_t result = has_result ? block_bytes_ * facts_.blocks_received(c_.processes) : 0;
    const int64_t contribution = contributed_.there ? contributed_.block_bytes() * contributed_.blocks : 0;
    const int64_t own = plan.schedule.scratch_elements;
    const int64_t read = block_bytes_ * facts_.blocks_contributed(c_.processes);  // more, of a rank whose sides differ
    const Scratch scratch(static_cast<size_t>(own + result + std::max(contribution, read)));
    if (!scratch.get()) return error_without_memory;
    char* data = scratch.get() + own;
    char* input = facts_.has_one_buffer() ? data : data + result;
    if (keeps_own_) data = input + c_.rank * block_bytes_;
    Moving moved = moving(plan);
    moved.takes_less = false;
    int error = 0;
    if (contributed_.there) {
      const Packing packing(contributed_.side.buffer, contributed_.elements(), contributed_.datatype);
      error = packing.pack(input, narrow(contribution), moved.own);
    } else if (contributes_in_place_) {
      input = data + own_block() * block_bytes_;
      const Packing packing(reinterpret_cast<Word>(received_.at(own_block())), narrow(received_.side.count),
                            received_.datatype);
      error = packing.pack(input, narrow(block_bytes_), moved.own);
    }
    if (!error) error = carry_out(plan, moved, {data, input, scratch.get(), 1});
    if (error || !received_.there) return error;
    const Packing packing(received_.side.buffer, received_.elements(), received_.datatype);
    return packing.unpack(data, narrow(result), moved.own);
  }

  Communicator& c_;
  const Rule& rule_;
  const Call& call_;
  const OperationFacts& facts_;
  int32_t root_ = 0;
  bool contributes_in_place_ = false, is_copied_ = false;  // copied: of blocks that are exchanged in place
  bool keeps_own_ = false;                                 // its own block stays among those that it contributes
  Part contributed_, received_;
  int64_t block_bytes_ = 0;
};

bool reduce(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
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
  *why = Reason::no_communicator;
  if (!c.ready()) return false;
  *why = Reason::refused;
  const Plan* plan = plan_for(c, rule, count, size, root, counts);
  if (!plan) return false;
  Moving moving = moving_of(c, rule, call, *plan);
  moving.datatype = datatype;
  moving.op = op;
  moving.layout = layout;
  moving.size = size;
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

// A call without data.
bool meet(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  *why = Reason::no_communicator;
  if (!c.ready()) return false;
  *why = Reason::refused;
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
    done = !facts.has_data ? meet(c, rule, call, why, error)
           : facts.reduces ? reduce(c, rule, call, why, error)
                           : Move(c, rule, call).run(why, error);
  }
  if (done) told(*error, c.handle);
  return done;
}

}  // namespace leadline::shim
