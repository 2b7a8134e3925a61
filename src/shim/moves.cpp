// Collectives that move blocks of one length and reduce nothing.
#include <string.h>

#include <algorithm>

#include "shim/forms.hpp"
#include "shim/layouts.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/narrow.hpp"
#include "shim/packing.hpp"
#include "shim/plans.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

using collectives::OperationFacts;

namespace {

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
    if (!equipped(c_, rule_, why)) return false;
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

}  // namespace

bool move_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  return Move(c, rule, call).run(why, error);
}

}  // namespace leadline::shim
