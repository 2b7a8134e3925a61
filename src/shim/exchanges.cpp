// Collectives in which every rank has a block for every other, or those in which the root has one for or from every
// rank, with counts that only the two know. The schedule takes blocks for elements, of which there is one or none, so
// that it can be kept while counts change. A block is one message of the program's own datatype.
#include <vector>

#include "shim/block_messages.hpp"
#include "shim/forms.hpp"
#include "shim/memory.hpp"
#include "shim/plans.hpp"

namespace leadline::shim {

namespace {

// Whether there is a block for each rank, as a count, and its number, as its place.
class Presence {
 public:
  void look_at(const ProgramBlocks& blocks, int32_t processes) {
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
    *why = Reason::arguments;
    if (root_ < 0 || root_ >= c_.processes || !look()) return false;
    if (!equipped(c_, rule_, why)) return false;
    // Ranks that are not the root have a single block at most.
    const bool own = !facts_.has_root || is_root_ || moving_.contributed.any(0) || moving_.received.any(0);
    const Plan* plan = plan_for(c_, rule_, own, 1, root_, {to_.counts(), to_.places(), from_.counts(), from_.places()});
    if (!plan) return false;
    static_cast<Moving&>(moving_) = moving_of(c_, rule_, call_, *plan);
    CopiedBlocks copied;
    if (is_in_place_ && !facts_.has_root) {
      *error = copied.copy(moving_.received, c_.rank, moving_.own, &moving_.contributed);
      if (*error) return true;
    }
    *error = carry_out_blocks(*plan, moving_, is_in_place_);
    return true;
  }

 private:
  bool look() {
    const bool hands_out = facts_.contributed.root_only;
    bool contributes = facts_.contributes(is_root_), receives = facts_.receives(is_root_);
    is_in_place_ = (is_root_ || !facts_.has_root) && (hands_out ? call_.to : call_.from).buffer == abi.in_place;
    if (is_in_place_) (hands_out ? receives : contributes) = false;
    if (contributes && !look_at(call_.from, facts_.contributed, &moving_.contributed, &to_)) return false;
    if (receives && !look_at(call_.to, facts_.received, &moving_.received, &from_)) return false;
    if (is_in_place_ && !facts_.has_root) to_ = from_;
    return true;
  }

  bool look_at(const CallSide& side, const collectives::DataSide& facts, ProgramBlocks* blocks,
               Presence* presence) const {
    if (side.buffer == abi.in_place) return false;
    const int32_t number = facts.count_per_rank ? c_.processes : 1;
    if (!blocks->look(side, call_.large, number, ProgramBlocks::Places::same)) return false;
    if (facts.count_per_rank) presence->look_at(*blocks, c_.processes);
    return true;
  }

  Communicator& c_;
  const Rule& rule_;
  const Call& call_;
  const collectives::OperationFacts& facts_;
  int32_t root_;
  bool is_root_, is_in_place_ = false;  // in place: blocks of this rank for itself stay where they are
  MovingBlocks moving_{};
  Presence to_, from_;
};

}  // namespace

bool exchange_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  return Exchange(c, rule, call).run(why, error);
}

}  // namespace leadline::shim
