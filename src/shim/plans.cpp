#include "shim/plans.hpp"

#include <stdlib.h>

#include <algorithm>
#include <iterator>

namespace leadline::shim {

namespace {

// The arrays of all, in the order in which a plan keeps them.
struct Arrays {
  explicit Arrays(const ByRank& of) : all{of.contributed, of.contributed_places, of.received, of.received_places} {}
  const int64_t* all[4];
};

uint64_t hash_of(const Arrays& arrays, int32_t processes) {
  uint64_t hash = 0;
  for (const int64_t* array : arrays.all)
    for (int32_t rank = 0; array && rank < processes; ++rank)
      hash = hash * 1099511628211u + static_cast<uint64_t>(array[rank]);
  return hash;
}

bool has_those(const Plan& plan, const Arrays& arrays, int32_t processes) {
  const int64_t* kept = plan.by_rank.data();
  const auto length = static_cast<size_t>(processes);
  size_t compared = 0;
  for (const int64_t* array : arrays.all) {
    if (!array) continue;
    if (compared + length > plan.by_rank.size() || !std::equal(array, array + length, kept + compared)) return false;
    compared += length;
  }
  return compared == plan.by_rank.size();
}

void keep(const Arrays& arrays, int32_t processes, Plan* plan, collectives::Problem* problem) {
  const auto length = static_cast<size_t>(processes);
  plan->by_rank.reserve(std::size(arrays.all) * length);
  const int64_t** const places[] = {&problem->counts_contributed, &problem->places_contributed,
                                    &problem->counts_received, &problem->places_received};
  for (size_t i = 0; i < std::size(arrays.all); ++i) {
    if (!arrays.all[i]) continue;
    *places[i] = plan->by_rank.data() + plan->by_rank.size();
    plan->by_rank.insert(plan->by_rank.end(), arrays.all[i], arrays.all[i] + length);
  }
}

}  // namespace

Plan* plan_for(Communicator& c, const Rule& rule, int64_t count, int64_t element_bytes, int32_t root,
               const ByRank& by_rank) {
  const Arrays arrays(by_rank);
  const uint64_t key = reinterpret_cast<uintptr_t>(&rule) + static_cast<uint64_t>(count) * 31 +
                       static_cast<uint64_t>(element_bytes) * 7 + static_cast<uint64_t>(root) +
                       hash_of(arrays, c.processes);
  Plan*& kept = c.plans[spread(key, 59)];
  static_assert(Communicator::plan_slots == 1 << (64 - 59));
  if (kept && kept->rule == &rule && kept->count == count && kept->element_bytes == element_bytes &&
      kept->root == root && has_those(*kept, arrays, c.processes)) {
    return kept->possible ? kept : nullptr;
  }
  delete kept;
  kept = new Plan{};
  kept->rule = &rule;
  kept->count = count;
  kept->element_bytes = element_bytes;
  kept->root = root;
  collectives::Problem problem;
  problem.operation = rule.operation;
  problem.processes = c.processes;
  problem.rank = c.rank;
  problem.root = root;
  problem.count = count;
  keep(arrays, c.processes, kept, &problem);
  problem.element_bytes = element_bytes;
  problem.segment_bytes = rule.segment_bytes;
  if (rule.radix) problem.radix = rule.radix;
  problem.node_of = c.node_of();
  problem.shares_memory = c.team() != nullptr;
  kept->possible = rule.algorithm->build(problem, &kept->schedule);
  kept->schedule.link();
  kept->whole = true;
  for (const collectives::Step& step : kept->schedule.steps) {
    if (step.kind == collectives::Step::Kind::receive && step.to.count != count) kept->whole = false;
    if ((step.from.count && step.from.space == collectives::Space::data) ||
        (step.to.count && step.to.space == collectives::Space::data)) {
      kept->uses_data = true;
    }
  }
  if (kept->schedule.requests) {
    kept->requests = static_cast<char*>(malloc(size_t{kept->schedule.requests} * sizeof(uint64_t)));
  }
  return kept->possible ? kept : nullptr;
}

}  // namespace leadline::shim
