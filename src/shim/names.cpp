// The functions that the shim intercepts, under all their names.
#include <utility>

#include "host/exports.hpp"
#include "host/kept_errno.hpp"
#include "host/significance.hpp"
#include "host/spawning.hpp"
#include "shim/arguments.hpp"
#include "shim/lifecycle.hpp"
#include "shim/tuned.hpp"

#define LEADLINE_EXPORT __attribute__((visibility("default")))

namespace leadline::shim {

using collectives::Operation;

namespace {

constexpr bool is_large(Name name) { return name == Name::mpi_c || name == Name::pmpi_c; }

// The function behind ours. It is there, or the dynamic linker had not bound ours.
template <class... A>
Word pass_on(Fn fn, Name name, A... a) {
  void* const& real = host::real_functions[static_cast<int>(fn)][static_cast<int>(name)];
  if (__builtin_expect(!real, 0)) {
    find_library();
    if (!real) {
      tell("%s was called, but no library loaded after the shim provides it", host::traits[static_cast<int>(fn)].name);
      return 16;
    }
  }
  return reinterpret_cast<Word (*)(A...)>(real)(a...);
}

// Blocks in the longest buffer of any rank: what its bytes are counted by must fit in an int.
int32_t most_blocks(Operation operation, int32_t processes) {
  const collectives::OperationFacts& facts = collectives::facts_of(operation);
  return facts.contributed.block_per_rank || facts.received.block_per_rank ? processes : 1;
}

// The rule that has an algorithm for the call. nullptr: the library is to do it, and that is counted.
[[gnu::noinline]] const Rule* rule_for(Operation operation, Communicator& c, int64_t count, int64_t size) {
  const int64_t bytes = count < 0 || size < 0 ? -1 : count * size;
  Reason why = c.closed;
  if (why == Reason::count) {
    why = shim.problem[0] ? Reason::off : Reason::no_rule;
    if (count < 0 || (size < 0 && count != 0)) {
      why = Reason::arguments;
    } else if (bytes == 0 && collectives::facts_of(operation).sizes_are_known()) {
      why = Reason::nothing_to_send;
    } else if (count > INT32_MAX || bytes > INT32_MAX / most_blocks(operation, c.processes)) {
      why = Reason::too_large;
    } else {
      for (const Rule* rule : c.population->rules[static_cast<int>(operation)]) {
        if (!rule->fits(bytes)) continue;
        if (rule->algorithm) return rule;
        why = Reason::table_says;
        break;
      }
    }
  }
  c.population->count(operation, bytes, nullptr, why);
  return nullptr;
}

// Whether count and datatype of a side of a call between groups mean something on this process.
template <class... A>
[[gnu::noinline, gnu::cold]] bool has_data(Operation operation, bool of_receive_side, A... a) {
  const Word args[] = {a...};
  if (!collectives::facts_of(operation).has_data) return true;
  const host::Traits& traits = host::traits[static_cast<int>(function_of_operation[static_cast<int>(operation)])];
  const bool received = of_receive_side || traits.roles.stype < 0;
  return host::Significance(traits, args, -1).of(received ? traits.roles.rtype : traits.roles.stype);
}

// By the rule's algorithm: true if it is done.
template <Operation operation, class... A>
[[gnu::noinline]] bool by_rule(Communicator& c, const Rule& rule, bool large, bool by_receive_side, int64_t size,
                               int64_t bytes, Word* result, A... a) {
  const Word args[] = {a...};
  Call call = call_of<operation>(args, large);
  CallSide& side = by_receive_side ? call.to : call.from;
  side.size = size;
  Reason why = Reason::table_says;
  int error = 0;
  const bool done = carry_out_call(c, rule, call, bytes, &why, &error);
  c.population->count(operation, bytes, done ? &rule : nullptr, why);
  *result = static_cast<Word>(error);
  return done;
}

// Whether the call is done. One that is left alone needs no Call, nor its arguments in memory.
template <Operation operation, class... A>
[[gnu::always_inline]] inline bool taken(bool large, Word* result, A... a) {
  constexpr collectives::Arguments at = collectives::facts_of(operation).arguments;
  const Word args[] = {a...};
  if (__builtin_expect(!watching.load(std::memory_order_relaxed), 0)) {
    if (!begun.load(std::memory_order_relaxed)) note_call_without_init();
    return false;
  }
  Memory& m = memory;
  if (m.busy) return false;
  Communicator* c = communicator_of(m, abi.comm(args[at.comm]));
  if (!c || !c->population) return false;
  const bool has_rules = c->has_rules[static_cast<int>(operation)];
  if (!has_rules && !shim.reports()) return false;
  const bool by_receive_side = decided_by_receive_side<operation>(args);
  if (__builtin_expect(c->closed == Reason::between_groups && !has_data(operation, by_receive_side, a...), 0)) {
    c->population->count(operation, 0, nullptr, c->closed);
    return false;
  }
  const Amount amount = amount_of<operation>(m, *c, args, large, by_receive_side);
  if (!shim.reports()) {
    const int64_t bytes = amount.bytes();  // of sensible ones; the others are looked at below
    bool any = amount.count < 0 || amount.unit < 0 || amount.count > INT32_MAX;
    if (!any) {
      for (const Rule* rule : c->population->rules[static_cast<int>(operation)]) any = any || rule->fits(bytes);
    }
    if (!any) return false;
  }
  const Rule* const rule = rule_for(operation, *c, amount.count, amount.unit);
  return rule && by_rule<operation>(*c, *rule, large, by_receive_side, amount.size, amount.bytes(), result, a...);
}

template <Operation operation, Name name, class... A>
Word collective(A... a) {
  Word result = 0;
  if (taken<operation>(is_large(name), &result, a...)) return result;
  return pass_on(function_of_operation[static_cast<int>(operation)], name, a...);
}

// A call in a form that no schedule serves. Its first arguments are those of the blocking one.
template <Operation operation, class... A>
[[gnu::noinline, gnu::cold]] void count_left(Reason reason, bool large, A... a) {
  const Word args[] = {a...};
  Memory& m = memory;
  if (m.busy) return;
  const Communicator* c = communicator_of(m, abi.comm(args[collectives::facts_of(operation).arguments.comm]));
  if (!c || !c->population) return;
  const bool between = c->closed == Reason::between_groups;  // there some ranks have no data
  const bool by_receive_side = decided_by_receive_side<operation>(args);
  const Amount amount = between ? Amount{} : amount_of<operation>(m, *c, args, large, by_receive_side);
  const bool sensible = amount.count >= 0 && amount.unit >= 0 && amount.count <= INT32_MAX;
  c->population->count(operation, sensible ? amount.bytes() : -1, nullptr, reason);
}

template <Operation operation, Fn fn, Reason reason, Name name, class... A>
Word left_alone(A... a) {
  if (__builtin_expect(watching.load(std::memory_order_relaxed) && shim.reports(), 0))
    count_left<operation>(reason, is_large(name), a...);
  return pass_on(fn, name, a...);
}

Word begin_after(Word result) {
  if (static_cast<int>(result) == 0) begin_after_init();
  return result;
}

template <Name name>
Word init(Word argc, Word argv) {
  return begin_after(pass_on(Fn::Init, name, argc, argv));
}

template <Name name>
Word init_thread(Word argc, Word argv, Word required, Word provided) {
  return begin_after(pass_on(Fn::Init_thread, name, argc, argv, required, provided));
}

template <Name name>
Word finalize() {
  end_before_finalize();
  return pass_on(Fn::Finalize, name);
}

// Programs that the program spawns run with its table.
template <Name name>
Word comm_spawn(Word command, Word argv, Word most, Word info, Word root, Word comm, Word made, Word errors) {
  host::SpawnInfos infos;
  if (find_library() && host::SpawnInfos::needed(root, comm)) info = infos.with_variables(info);
  const Word result = pass_on(Fn::Comm_spawn, name, command, argv, most, info, root, comm, made, errors);
  infos.free();
  return result;
}

template <Name name>
Word comm_spawn_multiple(Word count, Word commands, Word argvs, Word most, Word given, Word root, Word comm, Word made,
                         Word errors) {
  host::SpawnInfos infos;
  if (find_library() && host::SpawnInfos::needed(root, comm)) {
    given = infos.with_variables(given, static_cast<int32_t>(count));
  }
  const Word result =
      pass_on(Fn::Comm_spawn_multiple, name, count, commands, argvs, most, given, root, comm, made, errors);
  infos.free();
  return result;
}

constexpr const char* other_names[] = {
    "MPI_Init",      "PMPI_Init",      "MPI_Init_thread", "PMPI_Init_thread",        "MPI_Finalize",
    "PMPI_Finalize", "MPI_Comm_spawn", "PMPI_Comm_spawn", "MPI_Comm_spawn_multiple", "PMPI_Comm_spawn_multiple",
};

struct OwnNames {
  static constexpr int of_operations = sizeof(names_of_operations) / sizeof(*names_of_operations);
  static constexpr int count = of_operations + sizeof(other_names) / sizeof(*other_names);
  static constexpr const char* name(int i) {
    return i < of_operations ? names_of_operations[i] : other_names[i - of_operations];
  }
  static void bound() {}
  static void* target(int) { return nullptr; }
};

__attribute__((constructor(101))) void make_names_indirect() {
  const host::KeptErrno kept;
  host::Exports<OwnNames>::make_indirect();
}

__attribute__((destructor)) void end_of_process() { end_with_process(); }

}  // namespace

}  // namespace leadline::shim

extern "C" __attribute__((used, visibility("hidden"))) leadline::host::LookUpAnswer leadline_answer_look_up(
    void* handle, const char* name) {
  return leadline::host::Exports<leadline::shim::OwnNames>::look_up(handle, name);
}
LEADLINE_DLSYM_ENTRY(leadline_answer_look_up);

using leadline::collectives::Operation;
using leadline::host::Fn;
using leadline::host::Name;
using leadline::host::Word;
using leadline::shim::Reason;
namespace shim = leadline::shim;

#include "leadline/shim_wrappers.inc"

#define LEADLINE_NAME(symbol, function, name, parameters, arguments)                                                 \
  extern "C" LEADLINE_EXPORT Word leadline_shim_##symbol parameters { return shim::function<Name::name> arguments; } \
  __asm__(".symver leadline_shim_" #symbol ", " #symbol "@LEADLINE_1");
#define LEADLINE_NAMES(symbol, function, parameters, arguments)     \
  LEADLINE_NAME(MPI_##symbol, function, mpi, parameters, arguments) \
  LEADLINE_NAME(PMPI_##symbol, function, pmpi, parameters, arguments)

LEADLINE_NAMES(Init, init, (Word a, Word b), (a, b))
LEADLINE_NAMES(Init_thread, init_thread, (Word a, Word b, Word c, Word d), (a, b, c, d))
LEADLINE_NAMES(Finalize, finalize, (), ())
LEADLINE_NAMES(Comm_spawn, comm_spawn, (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h),
               (a, b, c, d, e, f, g, h))
LEADLINE_NAMES(Comm_spawn_multiple, comm_spawn_multiple,
               (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i), (a, b, c, d, e, f, g, h, i))
