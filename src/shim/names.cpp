// The functions that the shim intercepts, under all their names.
#include <utility>

#include "host/exports.hpp"
#include "host/significance.hpp"
#include "host/spawning.hpp"
#include "shim/plan.hpp"

#define LEADLINE_EXPORT __attribute__((visibility("default")))

namespace leadline::shim {

using collectives::Operation;

namespace {

constexpr bool is_large(Name name) { return name == Name::mpi_c || name == Name::pmpi_c; }

int64_t count_in(Word w, bool large) { return large ? static_cast<int64_t>(w) : static_cast<int32_t>(w); }

// The function behind ours. It is there, or the dynamic linker had not bound ours.
template <class... A>
Word pass_on(Fn fn, Name name, A... a) {
  void* const& real = host::real_functions[static_cast<int>(fn)][static_cast<int>(name)];
  if (__builtin_expect(!real, 0)) {
    shim.find_library();
    if (!real) {
      tell("%s was called, but no library behind the shim provides it", host::traits[static_cast<int>(fn)].name);
      return 16;
    }
  }
  return reinterpret_cast<Word (*)(A...)>(real)(a...);
}

// A collective that is looked at: true if it is done.
[[gnu::noinline]] bool consider(Operation operation, Communicator& c, const Call& call, int64_t size, Word* result) {
  const int64_t bytes = call.count < 0 || size < 0 ? -1 : call.count * size;
  Reason why = c.closed;
  if (why == Reason::count) {
    const auto& rules = c.population->rules[static_cast<int>(operation)];
    why = shim.problem[0] ? Reason::off : Reason::no_rule;
    if (call.count < 0 || (size < 0 && call.count != 0)) {
      why = Reason::arguments;
    } else if (bytes == 0) {
      why = Reason::nothing_to_send;
    } else if (call.count > INT32_MAX || bytes > INT32_MAX) {
      why = Reason::too_large;
    } else {
      for (const Rule* rule : rules) {
        if (!rule->fits(bytes)) continue;
        why = Reason::table_says;
        if (!rule->algorithm) break;
        int error = 0;
        const bool done = operation == Operation::broadcast ? broadcast(c, *rule, call, &why, &error)
                                                            : reduce(c, *rule, call, &why, &error);
        if (!done) break;
        c.population->count(operation, bytes, rule, why);
        *result = static_cast<Word>(error);
        return true;
      }
    }
  }
  c.population->count(operation, bytes, nullptr, why);
  return false;
}

// Whether count and datatype of a call between groups mean something on this process.
[[gnu::noinline]] bool has_data(Operation operation, const Call& call) {
  const auto counts = [](Fn fn, const Word* args) {
    const host::Traits& traits = host::traits[static_cast<int>(fn)];
    return host::Significance(traits, args, -1).of(traits.roles.stype);
  };
  const auto count = static_cast<Word>(call.count);
  if (operation == Operation::broadcast) {
    const Word args[] = {call.to, count, call.datatype, call.root, call.comm};
    return counts(Fn::Bcast, args);
  }
  if (operation == Operation::reduce) {
    const Word args[] = {call.from, call.to, count, call.datatype, call.op, call.root, call.comm};
    return counts(Fn::Reduce, args);
  }
  const Word args[] = {call.from, call.to, count, call.datatype, call.op, call.comm};
  return counts(Fn::Allreduce, args);
}

// Whether a rule may fit. Calls that are left alone get no further than here.
[[gnu::always_inline]] inline bool taken(Operation operation, const Call& call, Word* result) {
  if (__builtin_expect(!watching.load(std::memory_order_relaxed), 0)) {
    if (!begun.load(std::memory_order_relaxed)) shim.note_call_without_init();
    return false;
  }
  Memory& m = memory;
  if (m.busy) return false;
  Communicator* c = communicator_of(m, abi.comm(call.comm));
  if (!c || !c->population) return false;
  const bool has_rules = c->has_rules[static_cast<int>(operation)];
  if (!has_rules && !shim.reports()) return false;
  if (__builtin_expect(c->closed == Reason::between_groups && !has_data(operation, call), 0)) {
    c->population->count(operation, 0, nullptr, c->closed);
    return false;
  }
  const int64_t size = size_of(m, abi.datatype(call.datatype));
  if (!shim.reports()) {
    const int64_t bytes = call.count * size;  // of sensible ones; the others are looked at below
    bool any = call.count < 0 || size < 0 || call.count > INT32_MAX;
    if (!any) {
      for (const Rule* rule : c->population->rules[static_cast<int>(operation)]) any = any || rule->fits(bytes);
    }
    if (!any) return false;
  }
  Call sized = call;
  sized.size = size;
  return consider(operation, *c, sized, size, result);
}

template <Name name>
Word bcast(Word buffer, Word count, Word datatype, Word root, Word comm) {
  Word result = 0;
  const Call call{0, buffer, datatype, 0, root, comm, count_in(count, is_large(name)), 0};
  if (taken(Operation::broadcast, call, &result)) return result;
  return pass_on(Fn::Bcast, name, buffer, count, datatype, root, comm);
}

template <Name name>
Word reduce_to_root(Word from, Word to, Word count, Word datatype, Word op, Word root, Word comm) {
  Word result = 0;
  const Call call{from, to, datatype, op, root, comm, count_in(count, is_large(name)), 0};
  if (taken(Operation::reduce, call, &result)) return result;
  return pass_on(Fn::Reduce, name, from, to, count, datatype, op, root, comm);
}

template <Name name>
Word allreduce(Word from, Word to, Word count, Word datatype, Word op, Word comm) {
  Word result = 0;
  const Call call{from, to, datatype, op, 0, comm, count_in(count, is_large(name)), 0};
  if (taken(Operation::allreduce, call, &result)) return result;
  return pass_on(Fn::Allreduce, name, from, to, count, datatype, op, comm);
}

Word begin_after(Word result) {
  if (static_cast<int>(result) == 0) shim.begin();
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
  shim.end();
  return pass_on(Fn::Finalize, name);
}

// Programs that the program spawns run with its table.
template <Name name>
Word comm_spawn(Word command, Word argv, Word most, Word info, Word root, Word comm, Word made, Word errors) {
  host::SpawnInfos infos;
  if (shim.find_library() && host::SpawnInfos::needed(root, comm)) info = infos.with_variables(info);
  const Word result = pass_on(Fn::Comm_spawn, name, command, argv, most, info, root, comm, made, errors);
  infos.free();
  return result;
}

template <Name name>
Word comm_spawn_multiple(Word count, Word commands, Word argvs, Word most, Word given, Word root, Word comm, Word made,
                         Word errors) {
  host::SpawnInfos infos;
  if (shim.find_library() && host::SpawnInfos::needed(root, comm)) {
    given = infos.with_variables(given, static_cast<int32_t>(count));
  }
  const Word result =
      pass_on(Fn::Comm_spawn_multiple, name, count, commands, argvs, most, given, root, comm, made, errors);
  infos.free();
  return result;
}

struct OwnNames {
  static constexpr const char* names[] = {
      "MPI_Bcast",
      "PMPI_Bcast",
      "MPI_Bcast_c",
      "PMPI_Bcast_c",
      "MPI_Reduce",
      "PMPI_Reduce",
      "MPI_Reduce_c",
      "PMPI_Reduce_c",
      "MPI_Allreduce",
      "PMPI_Allreduce",
      "MPI_Allreduce_c",
      "PMPI_Allreduce_c",
      "MPI_Init",
      "PMPI_Init",
      "MPI_Init_thread",
      "PMPI_Init_thread",
      "MPI_Finalize",
      "PMPI_Finalize",
      "MPI_Comm_spawn",
      "PMPI_Comm_spawn",
      "MPI_Comm_spawn_multiple",
      "PMPI_Comm_spawn_multiple",
  };
  static constexpr int count = sizeof(names) / sizeof(*names);
  static constexpr const char* name(int i) { return names[i]; }
  static void bound() {}
};

__attribute__((constructor(101))) void make_names_indirect() { host::Exports<OwnNames>::make_indirect(); }

__attribute__((destructor)) void end_of_process() { shim.end_of_process(); }

}  // namespace

}  // namespace leadline::shim

using leadline::host::Name;
using leadline::host::Word;
namespace shim = leadline::shim;

#define LEADLINE_NAME(symbol, function, name, parameters, arguments)                                                 \
  extern "C" LEADLINE_EXPORT Word leadline_shim_##symbol parameters { return shim::function<Name::name> arguments; } \
  __asm__(".symver leadline_shim_" #symbol ", " #symbol "@LEADLINE_1");
#define LEADLINE_NAMES(symbol, function, parameters, arguments)     \
  LEADLINE_NAME(MPI_##symbol, function, mpi, parameters, arguments) \
  LEADLINE_NAME(PMPI_##symbol, function, pmpi, parameters, arguments)
#define LEADLINE_LARGE_NAMES(symbol, function, parameters, arguments)     \
  LEADLINE_NAME(MPI_##symbol##_c, function, mpi_c, parameters, arguments) \
  LEADLINE_NAME(PMPI_##symbol##_c, function, pmpi_c, parameters, arguments)

LEADLINE_NAMES(Bcast, bcast, (Word a, Word b, Word c, Word d, Word e), (a, b, c, d, e))
LEADLINE_LARGE_NAMES(Bcast, bcast, (Word a, Word b, Word c, Word d, Word e), (a, b, c, d, e))
LEADLINE_NAMES(Reduce, reduce_to_root, (Word a, Word b, Word c, Word d, Word e, Word f, Word g), (a, b, c, d, e, f, g))
LEADLINE_LARGE_NAMES(Reduce, reduce_to_root, (Word a, Word b, Word c, Word d, Word e, Word f, Word g),
                     (a, b, c, d, e, f, g))
LEADLINE_NAMES(Allreduce, allreduce, (Word a, Word b, Word c, Word d, Word e, Word f), (a, b, c, d, e, f))
LEADLINE_LARGE_NAMES(Allreduce, allreduce, (Word a, Word b, Word c, Word d, Word e, Word f), (a, b, c, d, e, f))
LEADLINE_NAMES(Init, init, (Word a, Word b), (a, b))
LEADLINE_NAMES(Init_thread, init_thread, (Word a, Word b, Word c, Word d), (a, b, c, d))
LEADLINE_NAMES(Finalize, finalize, (), ())
LEADLINE_NAMES(Comm_spawn, comm_spawn, (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h),
               (a, b, c, d, e, f, g, h))
LEADLINE_NAMES(Comm_spawn_multiple, comm_spawn_multiple,
               (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i), (a, b, c, d, e, f, g, h, i))
