#include "collectives/algorithm.hpp"

#include "leadline/algorithms.hpp"

namespace leadline::collectives {

std::span<const Algorithm> algorithms() { return portfolio; }

const Algorithm* find_algorithm(Operation operation, std::string_view name) {
  for (const Algorithm& algorithm : portfolio)
    if (algorithm.operation == operation && name == algorithm.name) return &algorithm;
  return nullptr;
}

const char* name_of(Operation operation) { return facts_of(operation).name; }

bool operation_of(std::string_view name, Operation* operation) {
  for (int i = 0; i < operation_count; ++i)
    if (name == facts_of_operations[i].name) {
      *operation = static_cast<Operation>(i);
      return true;
    }
  return false;
}

network::Movement movement_of(Operation operation) {
  const OperationFacts& facts = facts_of(operation);
  const auto side = [](const DataSide& of) {
    return network::Side{.root_only = of.root_only, .block_per_rank = of.block_per_rank};
  };
  return {side(facts.contributed), side(facts.received), facts.reduces, facts.prefix != Prefix::everybody,
          facts.has_data};
}

}  // namespace leadline::collectives
