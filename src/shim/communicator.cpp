#include "shim/communicator.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <new>

#include "host/datatype_contents.hpp"
#include "host/plausible.hpp"
#include "shim/plan.hpp"
#include "shim/team.hpp"

namespace leadline::shim {

using host::call_real;

std::atomic<uint32_t> epoch{1};
thread_local constinit Memory memory{};

namespace {

std::atomic<int32_t> own_communicators{0};

uint64_t host_hash() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  uint64_t hash = 14695981039346656037u;
  for (const char* c = name; *c; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211u;
  return hash;
}

}  // namespace

Communicator::Communicator(uint64_t comm) : handle(comm) {
  int32_t between_groups = 0;
  call_real(Fn::Comm_test_inter, handle, &between_groups);
  call_real(Fn::Comm_size, handle, &processes);
  call_real(Fn::Comm_rank, handle, &rank);
  population = population_of(processes);
  if (!population) return;
  if (between_groups) {
    closed = Reason::between_groups;
  } else if (processes == 1) {
    closed = Reason::one_process;
  } else {
    bool any = false;
    for (const auto& rules : population->rules) any = any || !rules.empty();
    if (any && !of_one_world()) closed = Reason::other_world;
  }
  if (closed != Reason::count) return;
  for (int i = 0; i < collectives::operation_count; ++i) has_rules[i] = !population->rules[i].empty();
}

Communicator::~Communicator() {
  for (Plan* plan : plans) delete plan;
  delete[] nodes_;
}

// Ranks of another MPI_COMM_WORLD (spawned, connected) may have another table.
bool Communicator::of_one_world() const {
  uint64_t group = 0, world = 0;
  const auto count = static_cast<size_t>(processes);
  auto* ranks = static_cast<int32_t*>(calloc(2 * count, sizeof(int32_t)));
  bool all = ranks != nullptr;
  const uint8_t bytes = abi.family->handle_bytes.group;
  if (all && call_real(Fn::Comm_group, handle, &group) == 0) {
    all = call_real(Fn::Comm_group, abi.comm_world, &world) == 0;
    for (size_t i = 0; i < count; ++i) ranks[i] = static_cast<int32_t>(i);
    if (all) {
      all = call_real(Fn::Group_translate_ranks, Abi::handle(group, bytes), processes, ranks, Abi::handle(world, bytes),
                      ranks + count) == 0;
      call_real(Fn::Group_free, &world);
    }
    for (size_t i = 0; all && i < count; ++i) all = ranks[count + i] != abi.undefined;
    call_real(Fn::Group_free, &group);
  } else {
    all = false;
  }
  free(ranks);
  return all;
}

// The ranks agree on whether there is room: one may be in more communicators than another, or out of memory.
bool Communicator::make_own() {
  constexpr int band = op_index("MPI_BAND");
  own_ = Own::refused;
  const std::unique_ptr<uint64_t[]> hosts(new (std::nothrow) uint64_t[static_cast<size_t>(processes)]);
  std::unique_ptr<int[]> nodes(new (std::nothrow) int[static_cast<size_t>(processes)]);
  const bool memory_for_all = hosts && nodes;
  const uint8_t room = memory_for_all && own_communicators.load(std::memory_order_relaxed) < most_own ? 1 : 0;
  uint8_t all_have_room = 0;
  const int32_t one = 1, color = 0;
  {
    const Quiet quiet(handle);
    if (call_real(Fn::Allreduce, &room, &all_have_room, one, abi.byte, abi.ops[band], handle) != 0 || !all_have_room ||
        call_real(Fn::Comm_split, handle, color, rank, &own_handle_) != 0 || noted_error) {
      return false;
    }
  }
  own_handle_ = Abi::handle(own_handle_, abi.family->handle_bytes.comm);
  call_real(Fn::Comm_set_errhandler, own_handle_, Abi::handle(shim.quiet_handler, abi.family->handle_bytes.errhandler));
  own_communicators.fetch_add(1, std::memory_order_relaxed);
  own_ = Own::made;
  if (number_nodes(hosts.get(), nodes.get())) nodes_ = nodes.release();
  if (nodes_ && needs_memory()) team_ = make_team(rank, processes, nodes_, own_handle_);
  return true;
}

bool Communicator::needs_memory() const {
  for (const auto& rules : population->rules)
    for (const Rule* rule : rules)
      if (rule->algorithm && rule->algorithm->needs_memory) return true;
  return false;
}

// Nodes are numbered in the order of their first ranks.
bool Communicator::number_nodes(uint64_t* hosts, int* nodes) {
  const uint64_t mine = host_hash();
  const int32_t bytes = sizeof(mine);
  if (call_real(Fn::Allgather, &mine, bytes, abi.byte, hosts, bytes, abi.byte, own_handle_) != 0) return false;
  int known = 0;
  for (int32_t i = 0; i < processes; ++i) {
    int32_t first = 0;
    while (hosts[first] != hosts[i]) ++first;
    nodes[i] = first == i ? known++ : nodes[first];
  }
  return true;
}

void Communicator::free_own() {
  if (own_ != Own::made) return;
  own_ = Own::refused;
  team_.reset();
  own_communicators.fetch_sub(1, std::memory_order_relaxed);
  uint64_t freed = own_handle_;
  call_real(Fn::Comm_free, &freed);
}

int communicator_freed(Word, int32_t, void* communicator, void*) {
  epoch.fetch_add(1);
  auto* c = static_cast<Communicator*>(communicator);
  const bool before = memory.busy;
  memory.busy = true;
  if (!finalizing) c->free_own();
  memory.busy = before;
  delete c;
  return 0;
}

Communicator* look_up(uint64_t handle, Memory::Known* known) {
  if (!host::may_be_communicator(handle)) return nullptr;
  void* held = nullptr;
  int32_t there = 0;
  const uint32_t now = epoch.load(std::memory_order_relaxed);
  if (call_real(Fn::Comm_get_attr, handle, shim.keyval, &held, &there) != 0) return nullptr;
  if (!there) {
    held = new (std::nothrow) Communicator(handle);
    if (!held) return nullptr;
    if (call_real(Fn::Comm_set_attr, handle, shim.keyval, held) != 0) {
      delete static_cast<Communicator*>(held);
      return nullptr;
    }
  }
  *known = {handle, now, static_cast<Communicator*>(held)};
  return known->communicator;
}

int64_t ask_size(uint64_t handle, Datatype* known) {
  if (known->handle != handle && !host::may_be_datatype(handle)) return -1;
  int32_t size = 0;
  if (call_real(Fn::Type_size, handle, &size) != 0) return -1;
  if (known->handle == handle && known->seen) return size;  // derived, as before: predefined ones are never made
  host::Envelope envelope;
  if (!host::envelope_of(handle, &envelope)) return -1;
  *known = {handle, size, true, envelope.combiner == abi.family->combiners.named, false, {}};
  return size;
}

}  // namespace leadline::shim
