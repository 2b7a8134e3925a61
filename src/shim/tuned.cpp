// A collective of the program, carried out by a schedule with the library's own functions.
#include <pthread.h>

#include "host/datatype_contents.hpp"
#include "shim/messages.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

using collectives::Operation;
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
  Datatype& place = place_of(memory, datatype);
  if (place.handle != datatype || !place.named) return ask_layout(datatype, size);
  if (!place.laid_out) {
    place.layout = ask_layout(datatype, size);
    place.laid_out = true;
  }
  return place.layout;
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

// The program's buffer and datatype, as MPI_Pack takes them: MPICH refuses a null pointer, which MPI_BOTTOM is, also
// where the datatype holds the addresses. Then a datatype that begins earlier does, from an address later by as much.
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

int move_packed(const Plan& plan, Moving& moving, const Call& call, char* bytes, int64_t size) {
  const Packing packing(call.to, narrow(call.count), moving.datatype);
  const bool is_root = static_cast<int32_t>(call.root) == moving.rank;
  moving.datatype = abi.byte;
  moving.layout.one_block = true;
  moving.layout.extent = 1;
  int error = is_root ? packing.pack(bytes, narrow(size), moving.own) : 0;
  if (!error) error = carry_out(plan, moving, {bytes, bytes, bytes + size, 1});
  if (!error && !is_root) error = packing.unpack(bytes, narrow(size), moving.own);
  return error;
}

// Whether the predefined operation takes the predefined datatype: the library is asked with an element of zeros. Errors
// are left to the library, so that the user sees its own message.
bool takes(uint64_t op, uint64_t datatype, int64_t extent) {
  static std::atomic<uint64_t> known[256];
  const uint64_t key = (op * 0x9e3779b97f4a7c15u) ^ datatype;
  std::atomic<uint64_t>& place = known[spread(key, 56)];
  if (place.load(std::memory_order_relaxed) == key) return true;
  alignas(64) char zeros[2][64] = {};
  if (extent > static_cast<int64_t>(sizeof(zeros[0]))) return false;
  static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&asking);
  const int32_t one = 1;
  // Not by MPI_Reduce_local: libraries differ in whose error handler it calls.
  noted_error = 0;
  const bool taken = call_real(Fn::Allreduce, zeros[0], zeros[1], one, datatype, op, shim.alone) == 0 && !noted_error;
  pthread_mutex_unlock(&asking);
  if (taken) place.store(key, std::memory_order_relaxed);
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

}  // namespace

bool broadcast(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  const auto root = static_cast<int32_t>(call.root);
  const int64_t bytes = call.count * call.size;
  *why = Reason::arguments;
  if (root < 0 || root >= c.processes) return false;
  const Busy busy;
  Moving moving{0, abi.datatype(call.datatype), 0, call.root, {}, Operation::broadcast, c.rank, 1};
  moving.layout = layout_of(moving.datatype, call.size);
  if (!call.to && moving.layout.named) return false;
  *why = Reason::no_communicator;
  if (!c.ready()) return false;
  moving.own = c.own();
  *why = Reason::refused;
  const Plan* plan = plan_for(c, rule, bytes, 1, root);
  if (!plan) return false;
  const bool direct = moving.layout.one_block;
  moving.takes_less = direct && plan->whole && !library_tells_shorter_broadcasts();
  const Scratch scratch(static_cast<size_t>(plan->schedule.scratch_elements + (direct ? 0 : bytes)));
  char* const data = reinterpret_cast<char*>(call.to);
  if (direct) {
    moving.datatype = abi.byte;
    moving.layout.extent = 1;
    *error = carry_out(*plan, moving, {data, data, scratch.get(), 1});
  } else if (scratch.get()) {
    *error = move_packed(*plan, moving, call, scratch.get(), bytes);
  } else {
    *error = error_without_memory;
  }
  memory.busy = false;
  told(*error, c.handle);
  return true;
}

bool reduce(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  const bool to_all = rule.operation == Operation::allreduce;
  const int32_t root = to_all ? 0 : static_cast<int32_t>(call.root);
  const bool has_result = to_all || root == c.rank;
  const bool in_place = call.from == abi.in_place;
  const uint64_t datatype = abi.datatype(call.datatype);
  const uint64_t op = Abi::handle(call.op, abi.family->handle_bytes.op);
  *why = Reason::arguments;
  if (root < 0 || root >= c.processes || (in_place && !has_result)) return false;
  const Busy busy;
  const Layout layout = layout_of(datatype, call.size);
  if (layout.named && (!call.from || (has_result && !call.to))) return false;
  if (has_result && call.from == call.to) return false;
  if (op == Abi::handle(abi.op_null, abi.family->handle_bytes.op) || !reducible(rule, op, datatype, layout, why)) {
    return false;
  }
  *why = Reason::no_communicator;
  if (!c.ready()) return false;
  *why = Reason::refused;
  const Plan* plan = plan_for(c, rule, call.count, call.size, root);
  if (!plan) return false;
  Moving moving{c.own(), datatype, op, call.root, layout, rule.operation, c.rank, call.size};
  moving.takes_less = plan->whole && !to_all;
  const bool spare_data = !has_result && plan->uses_data;
  const int64_t elements = plan->schedule.scratch_elements + (spare_data ? call.count : 0);
  const Scratch scratch(elements ? static_cast<size_t>(elements * layout.extent + layout.true_extent) : 0);
  if (elements && !scratch.get()) {
    *error = error_without_memory;
  } else {
    char* const base = elements ? scratch.get() - layout.true_lb : nullptr;
    char* const data =
        spare_data ? base + plan->schedule.scratch_elements * layout.extent : reinterpret_cast<char*>(call.to);
    const char* const input = in_place ? data : reinterpret_cast<const char*>(call.from);
    *error = carry_out(*plan, moving, {data, input, base, layout.extent});
  }
  memory.busy = false;
  told(*error, c.handle);
  return true;
}

}  // namespace leadline::shim
