// Collectives in which every rank has a block for every other, with counts that only the two know. The schedule takes
// blocks for elements, of which there is one or none, so that it can be kept while counts change. A block is one
// message of the program's own datatype.
#include <string.h>

#include <vector>

#include "shim/forms.hpp"
#include "shim/layouts.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/plans.hpp"
#include "shim/settling.hpp"

namespace leadline::shim {

using collectives::Step;
using host::call_real;

namespace {

constexpr int32_t own_block_tag = 8;

// One side's blocks, as the program has them.
class Blocks {
 public:
  // False: the library is to judge the arguments.
  bool look(const CallSide& side, bool large, int32_t processes) {
    counts_ = {reinterpret_cast<const void*>(side.counts), large};
    places_ = {reinterpret_cast<const void*>(side.places), large};
    base_ = reinterpret_cast<char*>(side.buffer);
    type_ = abi.datatype(side.datatype);
    size_ = size_of(memory, type_);
    bool any = false;
    for (int32_t rank = 0; rank < processes; ++rank) {
      if (counts_[rank] < 0) return false;
      any = any || counts_[rank] > 0;
    }
    if (!any) return true;  // then the datatype is not looked at
    if (size_ < 0) return false;
    layout_ = layout_of(type_, size_);
    return side.buffer || !layout_.named || !size_;
  }

  int64_t count(int64_t rank) const { return counts_[static_cast<int32_t>(rank)]; }
  int64_t bytes(int64_t rank) const { return count(rank) ? count(rank) * size_ : 0; }
  char* at(int64_t rank) const { return base_ + places_[static_cast<int32_t>(rank)] * layout_.extent; }
  uint64_t type() const { return type_; }
  bool one_block() const { return layout_.one_block; }

 private:
  CountsByRank counts_, places_;
  char* base_ = nullptr;
  uint64_t type_ = 0;
  int64_t size_ = 0;
  Layout layout_{};
};

struct MovingBlocks : Moving {
  Blocks contributed, received;
};

const MovingBlocks& blocks_of(void* state) { return *static_cast<MovingBlocks*>(static_cast<Moving*>(state)); }

// MPI_Isend or MPI_Irecv.
int start(Fn fn, const Blocks& blocks, int64_t block, int32_t peer, int32_t tag, uint64_t comm, void* request) {
  const int64_t count = blocks.count(block);
  char* const at = blocks.at(block);
  int error = 0;
  if (count <= INT32_MAX) {
    error = call_real(fn, at, static_cast<int32_t>(count), blocks.type(), peer, tag, comm, request);
  } else {  // of a function with large counts, so the library has this one, too
    void* const real = host::real_functions[static_cast<int>(fn)][static_cast<int>(Name::pmpi_c)];
    using Large = int (*)(char*, int64_t, uint64_t, int32_t, int32_t, uint64_t, void*);
    error = reinterpret_cast<Large>(real)(at, count, blocks.type(), peer, tag, comm, request);
  }
  return error ? error : noted_error;
}

int send_block(void* state, const void*, const Step& step, void* request) {
  const MovingBlocks& m = blocks_of(state);
  return start(Fn::Isend, m.contributed, step.from.first, step.peer, step.last ? 0 : more_flag, m.own, request);
}

int receive_block(void* state, void*, const Step& step, void* request) {
  const MovingBlocks& m = blocks_of(state);
  return start(Fn::Irecv, m.received, step.to.first, step.peer, abi.any_tag, m.own, request);
}

int wait_for_block(void* state, const Step& step, void* request) {
  Moving& m = *static_cast<Moving*>(state);
  return wait_for_message(m, step, request, step.peer < 0 ? 0 : blocks_of(state).received.bytes(step.to.first));
}

// The only block that is copied is the rank's own.
int copy_own(void* state, const void*, void*, int64_t) {
  const MovingBlocks& m = blocks_of(state);
  const Blocks &from = m.contributed, &to = m.received;
  if (from.one_block() && to.one_block() && from.bytes(m.rank) == to.bytes(m.rank)) {
    memcpy(to.at(m.rank), from.at(m.rank), static_cast<size_t>(to.bytes(m.rank)));
    return 0;
  }
  alignas(8) char requests[2][sizeof(uint64_t)];
  int error = start(Fn::Irecv, to, m.rank, m.rank, own_block_tag, m.own, requests[0]);
  if (error) return error;
  error = start(Fn::Isend, from, m.rank, m.rank, own_block_tag, m.own, requests[1]);
  for (char* request : {requests[1], requests[0]}) {
    const int of_it = call_real(Fn::Wait, request, abi.status_ignore);
    if (!error) error = of_it ? of_it : noted_error;
  }
  return error;
}

// 1 for each block that there is, and their places.
class Presence {
 public:
  Presence(const Blocks& blocks, int32_t processes) {
    for (int32_t rank = 0; rank < processes; ++rank) {
      counts.push_back(blocks.bytes(rank) > 0);
      places.push_back(rank);
    }
  }
  std::vector<int64_t> counts, places;
};

}  // namespace

bool exchange_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  *why = Reason::in_place;  // on all ranks, or on none
  if (call.from.buffer == abi.in_place) return false;
  *why = Reason::arguments;
  MovingBlocks moving{};
  if (!moving.contributed.look(call.from, call.large, c.processes)) return false;
  if (!moving.received.look(call.to, call.large, c.processes)) return false;
  if (!equipped(c, rule, why)) return false;
  const Presence to(moving.contributed, c.processes), from(moving.received, c.processes);
  const Plan* plan =
      plan_for(c, rule, 1, 1, 0, {to.counts.data(), to.places.data(), from.counts.data(), from.places.data()});
  if (!plan) return false;
  static_cast<Moving&>(moving) = moving_of(c, rule, call, *plan);
  const collectives::Transport transport{static_cast<Moving*>(&moving),
                                         abi.family->handle_bytes.request,
                                         send_block,
                                         receive_block,
                                         wait_for_block,
                                         nullptr,
                                         copy_own,
                                         nullptr};
  // Steps find their blocks by number; that of the result is no place of the contribution.
  static char result, contribution;
  *error = carry_out(*plan, moving, transport, {&result, &contribution, nullptr, 0});
  return true;
}

}  // namespace leadline::shim
