#include "shim/plans.hpp"

#include <stdlib.h>

namespace leadline::shim {

namespace {

uint64_t hash_of(const CountsByRank& counts, int32_t processes) {
  uint64_t hash = 0;
  for (int32_t rank = 0; counts.array && rank < processes; ++rank)
    hash = hash * 1099511628211u + static_cast<uint64_t>(counts[rank]);
  return hash;
}

bool are_those_of(const Plan& plan, const CountsByRank& counts, int32_t processes) {
  if (!counts.array) return plan.counts.empty();
  bool same = plan.counts.size() == static_cast<size_t>(processes);
  for (int32_t rank = 0; same && rank < processes; ++rank)
    same = plan.counts[static_cast<size_t>(rank)] == counts[rank];
  return same;
}

}  // namespace

Plan* plan_for(Communicator& c, const Rule& rule, int64_t count, int64_t element_bytes, int32_t root,
               const CountsByRank& counts) {
  const uint64_t key = reinterpret_cast<uintptr_t>(&rule) + static_cast<uint64_t>(count) * 31 +
                       static_cast<uint64_t>(element_bytes) * 7 + static_cast<uint64_t>(root) +
                       hash_of(counts, c.processes);
  Plan*& kept = c.plans[spread(key, 59)];
  static_assert(Communicator::plan_slots == 1 << (64 - 59));
  if (kept && kept->rule == &rule && kept->count == count && kept->element_bytes == element_bytes &&
      kept->root == root && are_those_of(*kept, counts, c.processes)) {
    return kept->possible ? kept : nullptr;
  }
  delete kept;
  kept = new Plan{};
  kept->rule = &rule;
  kept->count = count;
  kept->element_bytes = element_bytes;
  kept->root = root;
  for (int32_t rank = 0; counts.array && rank < c.processes; ++rank) kept->counts.push_back(counts[rank]);
  collectives::Problem problem;
  problem.operation = rule.operation;
  problem.processes = c.processes;
  problem.rank = c.rank;
  problem.root = root;
  problem.count = count;
  if (counts.array) problem.counts_contributed = kept->counts.data();
  problem.element_bytes = element_bytes;
  problem.segment_bytes = rule.segment_bytes;
  if (rule.radix) problem.radix = rule.radix;
  problem.node_of = c.node_of();
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
