#include "shim/plans.hpp"

#include <stdlib.h>

#include <algorithm>

namespace leadline::shim {

namespace {

// The arrays of all, in the order in which a plan keeps them.
struct Arrays {
  static constexpr int number = 4;
  Arrays(const ByRank& of, size_t contributed, size_t received)
      : all{of.contributed, of.contributed_places, of.received, of.received_places},
        lengths{contributed, contributed, received, received} {}
  const int64_t* all[number];
  size_t lengths[number];
};

uint64_t hash_of(const Arrays& arrays) {
  uint64_t hash = 0;
  for (int of = 0; of < arrays.number; ++of)
    for (size_t i = 0; arrays.all[of] && i < arrays.lengths[of]; ++i)
      hash = hash * 1099511628211u + static_cast<uint64_t>(arrays.all[of][i]);
  return hash;
}

bool has_those(const Plan& plan, const Arrays& arrays) {
  const int64_t* kept = plan.by_rank.data();
  size_t compared = 0;
  for (int of = 0; of < arrays.number; ++of) {
    const int64_t* array = arrays.all[of];
    const size_t length = arrays.lengths[of];
    if (!array) continue;
    if (compared + length > plan.by_rank.size() || !std::equal(array, array + length, kept + compared)) return false;
    compared += length;
  }
  return compared == plan.by_rank.size();
}

void keep(const Arrays& arrays, Plan* plan, collectives::Problem* problem) {
  size_t all = 0;
  for (const size_t length : arrays.lengths) all += length;
  plan->by_rank.reserve(all);
  const int64_t** const places[] = {&problem->counts_contributed, &problem->places_contributed,
                                    &problem->counts_received, &problem->places_received};
  for (int of = 0; of < arrays.number; ++of) {
    if (!arrays.all[of]) continue;
    *places[of] = plan->by_rank.data() + plan->by_rank.size();
    plan->by_rank.insert(plan->by_rank.end(), arrays.all[of], arrays.all[of] + arrays.lengths[of]);
  }
}

}  // namespace

Plan* plan_for(Communicator& c, const Rule& rule, int64_t count, int64_t element_bytes, int32_t root,
               const ByRank& by_rank) {
  collectives::Neighbours neighbours;
  if (collectives::facts_of(rule.operation).for_neighbours) neighbours = c.neighbourhood().of_schedule();
  const auto length_of = [&](int of) { return static_cast<size_t>(neighbours.known ? of : c.processes); };
  const Arrays arrays(by_rank, length_of(neighbours.target_count), length_of(neighbours.source_count));
  const uint64_t key = reinterpret_cast<uintptr_t>(&rule) + static_cast<uint64_t>(count) * 31 +
                       static_cast<uint64_t>(element_bytes) * 7 + static_cast<uint64_t>(root) + hash_of(arrays);
  Plan*& kept = c.plans[spread(key, 59)];
  static_assert(Communicator::plan_slots == 1 << (64 - 59));
  if (kept && kept->rule == &rule && kept->count == count && kept->element_bytes == element_bytes &&
      kept->root == root && has_those(*kept, arrays)) {
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
  keep(arrays, kept, &problem);
  problem.element_bytes = element_bytes;
  problem.segment_bytes = rule.segment_bytes;
  if (rule.radix) problem.radix = rule.radix;
  problem.neighbours = neighbours;
  problem.node_of = c.node_of();
  problem.shares_memory = c.team() != nullptr;
  kept->possible = rule.algorithm->build(problem, &kept->schedule);
  kept->schedule.link();
  kept->whole = true;
  for (const collectives::Step& step : kept->schedule.steps) {
    const bool is_receive = step.kind == collectives::Step::Kind::receive;
    if ((is_receive && step.to.count != count) || step.kind == collectives::Step::Kind::together) kept->whole = false;
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
