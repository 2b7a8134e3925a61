#include "shim/block_messages.hpp"

#include "shim/settling.hpp"

namespace leadline::shim {

using collectives::Step;

namespace {

const MovingBlocks& blocks_of(void* state) { return *static_cast<MovingBlocks*>(static_cast<Moving*>(state)); }

// Steps find their blocks by number. Where a step has addresses, they are these and the number.
constexpr uintptr_t result = uintptr_t{1} << 40, contribution = uintptr_t{2} << 40;

int64_t number_at(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return static_cast<int64_t>(at - (at < contribution ? result : contribution));
}

int send_block(void* state, const void*, const Step& step, void* request) {
  const MovingBlocks& m = blocks_of(state);
  return start_block(Fn::Isend, m.contributed, step.from.first, step.peer, step.last ? 0 : more_flag, m.own, request);
}

int receive_block(void* state, void*, const Step& step, void* request) {
  const MovingBlocks& m = blocks_of(state);
  return start_block(Fn::Irecv, m.received, step.to.first, step.peer, abi.any_tag, m.own, request);
}

int wait_for_block(void* state, const Step& step, void* request) {
  Moving& m = *static_cast<Moving*>(state);
  return wait_for_message(m, step, request, step.peer < 0 ? 0 : blocks_of(state).received.bytes(step.to.first));
}

// A rank's own block, or more of them.
int copy_blocks(void* state, const void* from, void* to, int64_t count) {
  const MovingBlocks& m = blocks_of(state);
  for (int64_t i = 0; i < count; ++i) {
    const int error = copy_block(m.contributed, number_at(from) + i, m.received, number_at(to) + i, m.rank, m.own);
    if (error) return error;
  }
  return 0;
}

int keep_blocks(void*, const void*, void*, int64_t) { return 0; }

}  // namespace

int carry_out_blocks(const Plan& plan, MovingBlocks& moving, bool in_place) {
  const collectives::Transport transport{static_cast<Moving*>(&moving),
                                         abi.family->handle_bytes.request,
                                         send_block,
                                         receive_block,
                                         wait_for_block,
                                         nullptr,
                                         in_place ? keep_blocks : copy_blocks,
                                         nullptr};
  return carry_out(plan, moving, transport,
                   {reinterpret_cast<char*>(result), reinterpret_cast<const char*>(contribution), nullptr, 1});
}

}  // namespace leadline::shim
