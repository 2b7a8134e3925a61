#include "collectives/algorithm.hpp"

#include "collectives/algorithms.hpp"

namespace leadline::collectives {

namespace {

constexpr Algorithm portfolio[] = {
    {Operation::broadcast, "binomial", false, false, false, "van de Geijn and others", broadcast_binomial},
};

constexpr const char* operations[] = {"bcast", "reduce", "allreduce"};

}  // namespace

std::span<const Algorithm> algorithms() { return portfolio; }

const Algorithm* find_algorithm(Operation operation, std::string_view name) {
  for (const Algorithm& algorithm : portfolio)
    if (algorithm.operation == operation && name == algorithm.name) return &algorithm;
  return nullptr;
}

const char* name_of(Operation operation) { return operations[static_cast<int>(operation)]; }

bool operation_of(std::string_view name, Operation* operation) {
  for (int i = 0; i < 3; ++i)
    if (name == operations[i]) {
      *operation = static_cast<Operation>(i);
      return true;
    }
  return false;
}

}  // namespace leadline::collectives
