// Collectives with the neighbours of a process topology. As in exchanges.cpp the schedule takes blocks for elements,
// and a block is one message of the program's own datatype.
#include <vector>

#include "shim/block_messages.hpp"
#include "shim/forms.hpp"
#include "shim/memory.hpp"
#include "shim/plans.hpp"

namespace leadline::shim {

namespace {

// By neighbour, as a schedule has them: whether there is a block, as a count, and its number, as its place.
struct BlocksOfNeighbours {
  std::vector<int64_t> counts, places;

  void add(const ProgramBlocks& blocks, int32_t block, int32_t neighbour) {
    counts.push_back(neighbour >= 0 && blocks.any(block));
    places.push_back(block);
  }
};

}  // namespace

bool exchange_with_neighbours(Communicator& c, const Rule& rule, const Call& call, Reason* why, int* error) {
  const collectives::OperationFacts& facts = collectives::facts_of(rule.operation);
  const Neighbourhood& of = c.neighbourhood();
  const auto& sources = of.source_of_block();
  *why = Reason::arguments;
  if (!of.known() || call.from.buffer == abi.in_place || call.to.buffer == abi.in_place) return false;
  MovingBlocks moving{};
  const bool is_for_each = facts.contributed.block_per_rank;
  const std::vector<int32_t> to_all{c.rank};  // the same block goes to every neighbour
  const auto in_a_row = ProgramBlocks::Places::in_a_row;
  if (!moving.contributed.look(call.from, call.large, is_for_each ? of.targets() : to_all, in_a_row) ||
      !moving.received.look(call.to, call.large, sources, in_a_row)) {
    return false;
  }
  if (!equipped(c, rule, why)) return false;
  BlocksOfNeighbours to, from;
  for (size_t i = 0; i < of.targets().size(); ++i)
    to.add(moving.contributed, is_for_each ? static_cast<int32_t>(i) : 0, of.targets()[i]);
  for (const int32_t block : of.block_of_source())
    from.add(moving.received, block, sources[static_cast<size_t>(block)]);
  const Plan* plan =
      plan_for(c, rule, 1, 1, 0, {to.counts.data(), to.places.data(), from.counts.data(), from.places.data()});
  if (!plan) return false;
  static_cast<Moving&>(moving) = moving_of(c, rule, call, *plan);
  *error = carry_out_blocks(*plan, moving, false);
  return true;
}

}  // namespace leadline::shim
