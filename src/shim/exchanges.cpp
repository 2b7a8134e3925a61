// Collectives in which every rank has a block for every other, or those in which the root has one for or from every
// rank, with counts that only the two know. The schedule takes blocks for elements, of which there is one or none, so
// that it can be kept while counts change. A block is one message of the program's own datatype.
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

// One side's blocks, as the program has them: one for each rank, or a single one, whatever rank is asked for.
class Blocks {
 public:
  // number: of blocks with their own counts; 0: a single block. False: the library is to judge the arguments.
  bool look(const CallSide& side, bool large, int32_t number) {
    by_rank_ = number > 0;
    counts_ = {reinterpret_cast<const void*>(side.counts), large};
    places_ = {reinterpret_cast<const void*>(side.places), large};
    count_ = side.count;
    base_ = reinterpret_cast<char*>(side.buffer);
    type_ = abi.datatype(side.datatype);
    size_ = size_of(memory, type_);
    bool any = count_ > 0;
    if (count_ < 0) return false;
    for (int32_t rank = 0; rank < number; ++rank) {
      if (counts_[rank] < 0) return false;
      any = any || counts_[rank] > 0;
    }
    if (!any) return true;  // then the datatype is not looked at
    if (size_ < 0) return false;
    layout_ = layout_of(type_, size_);
    return side.buffer || !layout_.named || !size_;
  }

  int64_t count(int64_t rank) const { return by_rank_ ? counts_[static_cast<int32_t>(rank)] : count_; }
  int64_t bytes(int64_t rank) const { return count(rank) ? count(rank) * size_ : 0; }
  bool any(int64_t rank) const { return bytes(rank) > 0; }
  char* at(int64_t rank) const {
    return by_rank_ ? base_ + places_[static_cast<int32_t>(rank)] * layout_.extent : base_;
  }
  uint64_t type() const { return type_; }
  bool one_block() const { return layout_.one_block; }

 private:
  bool by_rank_ = false;
  CountsByRank counts_, places_;
  int64_t count_ = 0;  // of a single block
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

// Whether there is a block for each rank, as a count, and its number, as its place.
class Presence {
 public:
  void look_at(const Blocks& blocks, int32_t processes) {
    for (int32_t rank = 0; rank < processes; ++rank) {
      counts_.push_back(blocks.any(rank));
      places_.push_back(rank);
    }
  }
  const int64_t* counts() const { return counts_.empty() ? nullptr : counts_.data(); }
  const int64_t* places() const { return places_.empty() ? nullptr : places_.data(); }

 private:
  std::vector<int64_t> counts_, places_;
};

class Exchange {
 public:
  Exchange(Communicator& c, const Rule& rule, const Call& call)
      : c_(c),
        rule_(rule),
        call_(call),
        facts_(collectives::facts_of(rule.operation)),
        root_(facts_.has_root ? static_cast<int32_t>(call.root) : 0),
        is_root_(facts_.has_root && root_ == c.rank) {}

  bool run(Reason* why, int* error) {
    *why = Reason::in_place;  // on all ranks, or on none
    if (!facts_.has_root && call_.from.buffer == abi.in_place) return false;
    *why = Reason::arguments;
    if (root_ < 0 || root_ >= c_.processes || !look()) return false;
    if (!equipped(c_, rule_, why)) return false;
    // Ranks that are not the root have a single block at most.
    const bool own = !facts_.has_root || is_root_ || moving_.contributed.any(0) || moving_.received.any(0);
    const Plan* plan = plan_for(c_, rule_, own, 1, root_, {to_.counts(), to_.places(), from_.counts(), from_.places()});
    if (!plan) return false;
    static_cast<Moving&>(moving_) = moving_of(c_, rule_, call_, *plan);
    const collectives::Transport transport{static_cast<Moving*>(&moving_),
                                           abi.family->handle_bytes.request,
                                           send_block,
                                           receive_block,
                                           wait_for_block,
                                           nullptr,
                                           copy_own,
                                           nullptr};
    // Steps find their blocks by number; that of the result is no place of the contribution, unless it stays there.
    static char result, contribution;
    *error = carry_out(*plan, moving_, transport, {&result, is_in_place_ ? &result : &contribution, nullptr, 0});
    return true;
  }

 private:
  bool look() {
    const bool hands_out = facts_.contributed.root_only;
    bool contributes = facts_.contributes(is_root_), receives = facts_.receives(is_root_);
    is_in_place_ = is_root_ && (hands_out ? call_.to : call_.from).buffer == abi.in_place;
    if (is_in_place_) (hands_out ? receives : contributes) = false;
    if (contributes && !look_at(call_.from, facts_.contributed, &moving_.contributed, &to_)) return false;
    return !receives || look_at(call_.to, facts_.received, &moving_.received, &from_);
  }

  bool look_at(const CallSide& side, const collectives::DataSide& facts, Blocks* blocks, Presence* presence) const {
    if (side.buffer == abi.in_place) return false;
    if (!blocks->look(side, call_.large, facts.count_per_rank ? c_.processes : 0)) return false;
    if (facts.count_per_rank) presence->look_at(*blocks, c_.processes);
    return true;
  }

  Communicator& c_;
  const Rule& rule_;
  const Call& call_;
  const collectives::OperationFacts& facts_;
  int32_t root_;
  bool is_root_, is_in_place_ = false;  // in place: the root's own block stays where it is
  MovingBlocks moving_{};
  Presence to_, from_;
};

}  // namespace

bool exchange_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  return Exchange(c, rule, call).run(why, error);
}

}  // namespace leadline::shim
