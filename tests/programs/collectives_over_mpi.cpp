// Every algorithm of src/collectives over a real MPI library, against the library's own operation: sizes, roots,
// datatypes, operations, in place or not. Argument: `all` for every size and root. Prints how many cases were run on
// how many ranks, and the first that failed.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/native_call.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/blocks.hpp"
#include "collectives/execute.hpp"
#include "collectives/node/team.hpp"

namespace {

using namespace leadline::collectives;

int rank, processes;
long cases = 0, failures = 0;

// --- Datatypes and operations
// -----------------------------------------------------------------------------------------

// x -> slope x + shift, modulo 2^32: composing them isn't commutative.
struct Affine {
  uint32_t slope, shift;
};

void compose(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* first = static_cast<const Affine*>(from);
  auto* second = static_cast<Affine*>(to);
  for (int i = 0; i < *count; ++i)
    second[i] = {first[i].slope * second[i].slope, second[i].slope * first[i].shift + second[i].shift};
}

struct Triple {
  int32_t values[3];
};

// A user's maximum, of what MPI has no operation for.
void maximum_of_triples(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    for (int k = 0; k < 3; ++k) {
      int32_t& most = static_cast<Triple*>(to)[i].values[k];
      most = std::max(most, static_cast<const Triple*>(from)[i].values[k]);
    }
}

struct Kind {
  const char* name;
  MPI_Datatype datatype;
  MPI_Op op;
  int64_t bytes;
  bool commutative, rounds;
  node::Combine combine = nullptr;
};

std::vector<Kind> kinds() {
  MPI_Datatype triple, affine;
  MPI_Type_contiguous(3, MPI_INT32_T, &triple);
  MPI_Type_contiguous(2, MPI_UINT32_T, &affine);
  MPI_Type_commit(&triple);
  MPI_Type_commit(&affine);
  MPI_Op maximum, composition;
  MPI_Op_create(maximum_of_triples, 1, &maximum);
  MPI_Op_create(compose, 0, &composition);
  return {{"double sum", MPI_DOUBLE, MPI_SUM, 8, true, true, node::find_combine("MPI_SUM", "MPI_DOUBLE", 8)},
          {"int sum", MPI_INT, MPI_SUM, 4, true, false, node::find_combine("MPI_SUM", "MPI_INT", 4)},
          {"char exclusive or", MPI_BYTE, MPI_BXOR, 1, true, false},
          {"maximum of triples", triple, maximum, 12, true, false},
          {"composition", affine, composition, 8, false, false}};
}

uint32_t number(uint32_t seed, int64_t i) {
  auto x = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15 + seed * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 29)) * 0x94d049bb133111eb;
  return static_cast<uint32_t>(x >> 32);
}

void fill(const Kind& kind, std::vector<char>* bytes, int64_t count, uint32_t seed) {
  if (kind.rounds)
    for (int64_t i = 0; i < count; ++i) {
      const double value = number(seed, i) / 3.0 - 7e8;
      std::memcpy(bytes->data() + i * 8, &value, 8);
    }
  else
    for (int64_t i = 0; i < count * kind.bytes; ++i)
      (*bytes)[static_cast<size_t>(i)] = static_cast<char>(number(seed, i));
}

// --- Memory that ranks share
// -----------------------------------------------------------------------------------------

std::unique_ptr<node::Team> team;  // of all ranks, which are on one node

bool gather_offers(void*, const void* mine, void* all, int bytes) {
  return MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS;
}

bool all_agree(void*, bool mine) {
  const int one = mine;
  int all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

// --- The library's functions, as execute() wants them --------------------------------------------------------------

struct Call {
  MPI_Comm comm;
  const Kind* kind;
  int root;
};

const Call& call_of(void* state) { return *static_cast<const Call*>(state); }

constexpr int tag = 77;

Transport transport_of(Call* call) {
  Transport t{};
  t.state = call;
  t.request_bytes = sizeof(MPI_Request);
  t.send = [](void* state, const void* from, const Step& step, void* request) {
    const Call& c = call_of(state);
    return MPI_Isend(from, static_cast<int>(step.from.count), c.kind->datatype, step.peer, tag, c.comm,
                     static_cast<MPI_Request*>(request));
  };
  t.receive = [](void* state, void* to, const Step& step, void* request) {
    const Call& c = call_of(state);
    return MPI_Irecv(to, static_cast<int>(step.to.count), c.kind->datatype, step.peer, tag, c.comm,
                     static_cast<MPI_Request*>(request));
  };
  t.wait = [](void*, const Step&, void* request) {
    return MPI_Wait(static_cast<MPI_Request*>(request), MPI_STATUS_IGNORE);
  };
  t.reduce = [](void* state, const void* from, void* to, int64_t count) {
    const Call& c = call_of(state);
    return MPI_Reduce_local(from, to, static_cast<int>(count), c.kind->datatype, c.kind->op);
  };
  t.copy = [](void* state, const void* from, void* to, int64_t count) {
    std::memcpy(to, from, static_cast<size_t>(count * call_of(state).kind->bytes));
    return 0;
  };
  t.native = [](void* state, const void*, void* to, int64_t count) {
    const Call& c = call_of(state);
    return MPI_Bcast(to, static_cast<int>(count), c.kind->datatype, c.root, c.comm);
  };
  t.together = [](void* state, const void* from, void* to, const Step& step) {
    const Call& c = call_of(state);
    const Transport own = transport_of(static_cast<Call*>(state));
    node::Means means{.state = state,
                      .reduce = own.reduce,
                      .copy = own.copy,
                      .progress =
                          [](void* of) {
                            int found = 0;
                            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, call_of(of).comm, &found, MPI_STATUS_IGNORE);
                          },
                      .combine = c.kind->combine,
                      .extent = c.kind->bytes};
    return team->run({step.operation, step.root, std::max(step.from.count, step.to.count),
                      static_cast<const char*>(from), static_cast<char*>(to)},
                     means);
  };
  return t;
}

// --- Cases
// --------------------------------------------------------------------------------------------------------------

struct Case {
  const Algorithm& algorithm;
  const Kind& kind;
  Problem problem;
  bool in_place;
};

void failed(const Case& c, const char* why) {
  if (++failures > 3) return;
  std::printf("FAILED on rank %d of %d: %s %s, %s, %lld elements, root %d, segments of %lld, radix %d%s: %s\n", rank,
              processes, name_of(c.algorithm.operation), c.algorithm.name, c.kind.name,
              static_cast<long long>(c.problem.count), c.problem.root, static_cast<long long>(c.problem.segment_bytes),
              c.problem.radix, c.in_place ? ", in place" : "", why);
  std::fflush(stdout);
}

bool within_rounding(const char* one, const char* other, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double a, b;
    std::memcpy(&a, one + i * 8, 8);
    std::memcpy(&b, other + i * 8, 8);
    // Terms are below 8e8; each of p - 1 sums rounds once.
    if (std::abs(a - b) > 2 * processes * (processes * 8e8) * 2.3e-16) return false;
  }
  return true;
}

constexpr char untouched = 0x5a;
constexpr size_t margin = 64;

void run(const Case& c, MPI_Comm comm, const std::vector<char>& given, const std::vector<char>& native) {
  const OperationFacts& facts = facts_of(c.problem.operation);
  const bool is_root = rank == c.problem.root;
  Schedule schedule;
  if (!c.algorithm.build(c.problem, &schedule)) return;
  ++cases;
  const size_t bytes = native.size();
  const bool has_result = facts.has_result(is_root);
  const bool starts_with_given = facts.has_one_buffer() ? is_root : c.in_place;
  const int64_t begin = facts.received.block_per_rank ? received_from(c.problem, rank).first : 0;
  const auto own = static_cast<size_t>(begin * c.kind.bytes);
  const size_t longest = c.in_place ? std::max(bytes, given.size()) : bytes;
  std::vector<char> data(has_result ? longest + margin : 0, untouched), input(given);
  if (has_result && starts_with_given && !given.empty()) std::memcpy(data.data() + own, given.data(), given.size());
  std::vector<char> scratch(static_cast<size_t>(schedule.scratch_elements * c.kind.bytes));
  std::vector<MPI_Request> requests(schedule.requests + 1);
  Call call{comm, &c.kind, c.problem.root};
  const Buffers buffers{has_result ? data.data() : nullptr, c.in_place && has_result ? data.data() + own : input.data(),
                        scratch.data(), c.kind.bytes};
  if (execute(schedule, transport_of(&call), buffers, requests.data())) return failed(c, "an error of MPI");
  if (input != given) failed(c, "the input was changed");
  if (!has_result) return;
  for (size_t i = bytes; i < data.size(); ++i)
    if (data[i] != (i < longest ? given[i] : untouched)) return failed(c, "wrote beyond the data");
  const bool rounds = c.kind.rounds && facts.reduces;
  if (facts.reduces && facts.reduced_until(rank, processes) == 0) return;  // undefined
  if (rounds ? !within_rounding(data.data(), native.data(), static_cast<int64_t>(bytes) / c.kind.bytes)
             : bytes && std::memcmp(data.data(), native.data(), bytes) != 0)
    failed(c, "not what the library's own gives");
  const bool differs = facts.contributed.block_per_rank || facts.prefix != Prefix::everybody;  // between the ranks
  if (!rounds || facts.received.root_only || differs) return;
  std::vector<char> first(data.begin(), data.begin() + static_cast<long>(bytes));
  MPI_Bcast(first.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  if (bytes && std::memcmp(first.data(), data.data(), bytes) != 0) failed(c, "another result than on rank 0");
}

bool may_be_in_place(const OperationFacts& facts) {
  return !facts.has_one_buffer() && (facts.reduces || !facts.contributed.block_per_rank);
}

void run_variants(const Algorithm& algorithm, const Kind& kind, Problem problem, MPI_Comm comm,
                  const std::vector<char>& given, const std::vector<char>& native) {
  static int turn = 0;
  const int64_t bytes = problem.count * kind.bytes;
  for (const int64_t segment : {int64_t{0}, bytes > 70000 ? int64_t{65536} : int64_t{300}}) {
    if (segment && (!algorithm.takes_segments || bytes <= segment)) break;
    problem.segment_bytes = segment;
    for (problem.radix = 2; problem.radix <= (algorithm.takes_radix ? 4 : 2); ++problem.radix)
      run({algorithm, kind, problem, may_be_in_place(facts_of(problem.operation)) && ++turn % 2 == 0}, comm, given,
          native);
  }
}

// Blocks with their own counts, side by side: MPI_Reduce_scatter has no other ones. That of rank i has a length that
// depends on `of_other` i + `of_self` times this rank.
struct Side {
  Side(int n, int of_other, int of_self) {
    for (int i = 0; i < processes; ++i) {
      const int turn = of_other || of_self ? of_other * i + of_self * rank : i;
      counts.push_back(turn % 3 == 1 ? 0 : n + turn % 4);
      begins.push_back(begins.back() + counts.back());
    }
    lengths.assign(counts.begin(), counts.end());
  }

  std::vector<int> places_in(int64_t unit) const {
    std::vector<int> places;
    for (const int64_t begin : begins) places.push_back(static_cast<int>(begin * unit));
    return places;
  }

  std::vector<int> counts;
  std::vector<int64_t> lengths, begins = {0};
};

void run_operation(Operation operation, const Kind& kind, int64_t count, int root, MPI_Comm comm) {
  const OperationFacts& facts = facts_of(operation);
  const bool by_rank = facts.has_counts_by_rank();
  const int n = static_cast<int>(count);
  const bool for_each = facts.exchanges();  // a block for each pair of ranks
  const Side to(n, for_each ? 2 : 0, for_each ? 1 : 0), from(n, for_each ? 1 : 0, for_each ? 2 : 0);
  Problem problem;
  problem.operation = operation;
  problem.processes = processes;
  problem.rank = rank;
  problem.root = root;
  problem.count = count;
  problem.element_bytes = kind.bytes;
  const int own = by_rank ? from.counts[static_cast<size_t>(rank)] : n;  // block, where a side has one
  if (by_rank && facts.has_root && rank != root) {
    problem.count = own;  // it knows no other's
  } else if (by_rank) {
    if (facts.contributed.count_per_rank) {
      problem.counts_contributed = to.lengths.data();
      problem.places_contributed = to.begins.data();
    }
    if (facts.received.count_per_rank && !facts.reduces) {
      problem.counts_received = from.lengths.data();
      problem.places_received = from.begins.data();
    }
  }
  const int64_t contributed = whole(problem).count;
  const int64_t received = !by_rank                        ? count * facts.blocks_received(processes)
                           : facts.received.block_per_rank ? from.begins.back()
                                                           : own;
  std::vector<char> given(static_cast<size_t>(contributed * kind.bytes));
  std::vector<char> native(static_cast<size_t>(received * kind.bytes));
  const bool contributes = facts.contributes(rank == root);
  fill(kind, &given, contributed, static_cast<uint32_t>(rank + 1));
  if (facts.has_one_buffer() && contributes) native = given;
  const int64_t unit = facts.contributed.datatype_per_rank ? kind.bytes : 1;  // of places
  const std::vector<int> to_places = to.places_in(unit), from_places = from.places_in(unit);
  const std::vector<MPI_Datatype> types(static_cast<size_t>(processes), kind.datatype);
  leadline::bench::call_native(operation, {given.data(), own, kind.datatype, native.data(), own, kind.datatype, kind.op,
                                           root, MPI_COMM_WORLD, to.counts.data(), to_places.data(), from.counts.data(),
                                           from_places.data(), types.data(), types.data()});
  std::vector<int> nodes(static_cast<size_t>(processes));
  for (int i = 0; i < processes; ++i) nodes[static_cast<size_t>(i)] = count % 2 ? i % 3 : i / 4;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.operation != operation || (algorithm.needs_commutative && !kind.commutative)) continue;
    problem.node_of = algorithm.needs_memory ? nullptr : nodes.data();
    problem.shares_memory = team != nullptr;
    run_variants(algorithm, kind, problem, comm, given, native);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const bool all = argc > 1 && std::string(argv[1]) == "all";
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  team = node::Team::make(rank, processes, nullptr, {nullptr, gather_offers, all_agree});
  constexpr int64_t mebibyte = 1 << 20;
  std::vector<int64_t> sizes = {0, 1, 24, 40 * processes, 3001};  // bytes
  if (all)
    sizes.insert(sizes.end(), {8, 12 * processes - 12, 12 * processes + 12, 4096, 65536, 300000, mebibyte + 1});
  else
    sizes.insert(sizes.end(), {120000});
  std::vector<int> roots = {0};
  if (processes > 1) roots.push_back(processes - 1);
  if (all && processes > 2) roots.push_back(processes / 2);
  for (const Kind& kind : kinds())
    for (const int64_t size : sizes) {
      const int64_t count = size == 1 ? 1 : size / kind.bytes;
      for (const int root : roots) {
        for (int i = 0; i < operation_count; ++i)
          if (facts_of_operations[i].for_neighbours)
            continue;  // shim_neighbours.c
          else if (facts_of_operations[i].has_root || root == roots.front())
            run_operation(static_cast<Operation>(i), kind, count, root, comm);
      }
    }
  if (!team) ++failures;
  long total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld cases on %d ranks, %ld failed\n", cases, processes, total);
  MPI_Finalize();
  return total != 0;
}
