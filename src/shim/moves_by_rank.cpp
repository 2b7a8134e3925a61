// Collectives that move blocks with their own counts, which all ranks know, and reduce nothing. Blocks are moved as
// bytes, because the sides' datatypes may differ.
#include <algorithm>
#include <vector>

#include "shim/forms.hpp"
#include "shim/layouts.hpp"
#include "shim/memory.hpp"
#include "shim/messages.hpp"
#include "shim/narrow.hpp"
#include "shim/packing.hpp"
#include "shim/plans.hpp"
#include "shim/scratch.hpp"

namespace leadline::shim {

namespace {

class MoveByRank {
 public:
  MoveByRank(Communicator& c, const Rule& rule, const Call& call) : c_(c), rule_(rule), call_(call) {}

  bool run(Reason* why, int* error) {
    *why = Reason::arguments;
    if (!look_at_contribution() || !look_at_result()) return false;
    if (!equipped(c_, rule_, why)) return false;
    const bool is_direct =
        layout_.one_block && (in_place_ || (contribution_.one_block && contributed_bytes_ == own_bytes()));
    if (!is_direct) lay_side_by_side();
    const Plan* plan = plan_for(c_, rule_, 0, 1, 0, {nullptr, nullptr, bytes_.data(), begins_.data()});
    if (!plan) return false;
    *error = is_direct ? directly(*plan) : packed(*plan);
    if (!*error && contributed_bytes_ > own_bytes()) *error = abi.family->err_truncate;
    return true;
  }

 private:
  bool look_at_contribution() {
    in_place_ = call_.from.buffer == abi.in_place;
    if (in_place_) return true;
    from_type_ = abi.datatype(call_.from.datatype);
    const int64_t size = size_of(memory, from_type_), count = call_.from.count;
    if (count < 0 || size < 0 || (count && size > INT32_MAX / count)) return false;
    contributed_bytes_ = count * size;
    contribution_ = layout_of(from_type_, size);
    return call_.from.buffer || !contribution_.named || !contributed_bytes_;
  }

  bool look_at_result() {
    to_type_ = abi.datatype(call_.to.datatype);
    const int64_t size = size_of(memory, to_type_);  // it and the counts made sense for the choice of the rule
    layout_ = layout_of(to_type_, size);
    for (int32_t rank = 0; rank < c_.processes; ++rank) {
      bytes_.push_back(counts_[rank] * size);
      begins_.push_back(places_[rank] * layout_.extent);
    }
    return call_.to.buffer || !layout_.named;
  }

  int64_t own_bytes() const { return bytes_[static_cast<size_t>(c_.rank)]; }
  char* block(int32_t rank) const { return reinterpret_cast<char*>(call_.to.buffer) + places_[rank] * layout_.extent; }

  void lay_side_by_side() {
    result_bytes_ = 0;
    for (size_t rank = 0; rank < bytes_.size(); ++rank) {
      begins_[rank] = result_bytes_;
      result_bytes_ += bytes_[rank];
    }
  }

  Moving moving(const Plan& plan) const {
    Moving moving = moving_of(c_, rule_, call_, plan);
    moving.layout.one_block = true;
    moving.layout.extent = 1;
    return moving;
  }

  int directly(const Plan& plan) const {
    const Scratch scratch(static_cast<size_t>(plan.schedule.scratch_elements));
    if (plan.schedule.scratch_elements && !scratch.get()) return error_without_memory;
    char* const data = reinterpret_cast<char*>(call_.to.buffer);
    Moving moved = moving(plan);
    return carry_out(plan, moved, {data, in_place_ ? block(c_.rank) : contributed(), scratch.get(), 1});
  }

  const char* contributed() const { return reinterpret_cast<const char*>(call_.from.buffer); }

  // By way of buffers of bytes, those of the algorithm first, then the result, then what is contributed.
  int packed(const Plan& plan) const {
    const int64_t own = plan.schedule.scratch_elements, length = std::max(contributed_bytes_, own_bytes());
    const Scratch scratch(static_cast<size_t>(own + result_bytes_ + length) + 1);
    if (!scratch.get()) return error_without_memory;
    char* const data = scratch.get() + own;
    char* const input = data + result_bytes_;
    Moving moved = moving(plan);
    int error = 0;
    if (in_place_ ? own_bytes() : contributed_bytes_) {
      const Packing packing(in_place_ ? reinterpret_cast<Word>(block(c_.rank)) : call_.from.buffer,
                            narrow(in_place_ ? counts_[c_.rank] : call_.from.count), in_place_ ? to_type_ : from_type_);
      error = packing.pack(input, narrow(length), moved.own);
    }
    if (!error) error = carry_out(plan, moved, {data, input, scratch.get(), 1});
    for (int32_t rank = 0; rank < c_.processes && !error; ++rank) {
      const auto i = static_cast<size_t>(rank);
      if (!bytes_[i] || (in_place_ && rank == c_.rank)) continue;
      const Packing packing(reinterpret_cast<Word>(block(rank)), narrow(counts_[rank]), to_type_);
      error = packing.unpack(data + begins_[i], narrow(bytes_[i]), moved.own);
    }
    return error;
  }

  Communicator& c_;
  const Rule& rule_;
  const Call& call_;
  const CountsByRank counts_{reinterpret_cast<const void*>(call_.to.counts), call_.large};
  const CountsByRank places_{reinterpret_cast<const void*>(call_.to.places), call_.large};
  bool in_place_ = false;
  uint64_t from_type_ = 0, to_type_ = 0;
  Layout contribution_{}, layout_{};     // of an element of either side
  std::vector<int64_t> bytes_, begins_;  // of the blocks received, by rank
  int64_t contributed_bytes_ = 0, result_bytes_ = 0;
};

}  // namespace

bool move_all_blocks(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  return MoveByRank(c, rule, call).run(why, error);
}

}  // namespace leadline::shim
