// Every algorithm, every rank's schedule, to 512 processes: ends under rendezvous and with eager messages, in place or
// not; a broadcast arrives; every contribution is reduced once, in the order of ranks unless the algorithm says it
// needs a commutative operation; and all ranks have reduced in the same way, so that rounding can't differ.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "../native/check.hpp"
#include "machine.hpp"

namespace {

using namespace leadline::test;

Machine machine;

std::string described(const Algorithm& algorithm, const Problem& problem, Machine::Options options) {
  char text[400];
  std::snprintf(text, sizeof text, "%s %s, %d processes, root %d, %lld elements%s, segments of %lld, radix %d, %s%s",
                name_of(algorithm.operation), algorithm.name, problem.processes, problem.root,
                static_cast<long long>(problem.count),
                facts_of(algorithm.operation).has_counts_by_rank() ? " or so" : "",
                static_cast<long long>(problem.segment_bytes), problem.radix,
                options.rendezvous ? "rendezvous" : "eager", options.in_place ? ", in place" : "");
  return text;
}

// What a rank is to have where blocks with their own counts are moved: of every rank what it contributes, in its place.
std::vector<Value> expected_blocks(const Problem& problem, const std::vector<ByRank>& by_rank) {
  std::vector<Value> values(static_cast<size_t>(received_by(problem)));
  if (!facts_of(problem.operation).received.block_per_rank) {
    const Range block = contributed_to(problem_of(problem, problem.root, by_rank), problem.rank);
    for (int64_t i = 0; i < block.count; ++i)
      values[static_cast<size_t>(i)] = contribution(problem.root, block.first + i);
    return values;
  }
  for (int from = 0; from < problem.processes; ++from) {
    const Range block = received_from(problem, from);
    const Problem its = problem_of(problem, from, by_rank);
    const int64_t begin = its.counts_contributed ? contributed_to(its, problem.rank).first : 0;
    for (int64_t i = 0; i < block.count; ++i)
      values[static_cast<size_t>(block.first + i)] = contribution(from, begin + i);
  }
  return values;
}

// What a rank is to have.
std::vector<Value> expected(const Problem& problem, int rank, const std::vector<ByRank>& all) {
  const OperationFacts& facts = facts_of(problem.operation);
  if (!all.empty() && !facts.reduces) return expected_blocks(problem_of(problem, rank, all), all);
  std::vector<Value> values;
  const bool by_rank = !all.empty();
  const Range own = blocks_of(problem_of(problem, rank, all), Space::input)[rank];  // of what each contributes
  const int64_t received = by_rank ? own.count : problem.count * facts.blocks_received(problem.processes);
  for (int64_t i = 0; i < received; ++i) {
    const int64_t in_block = by_rank ? i : i % problem.count;
    const int64_t within = (facts.contributed.block_per_rank ? own.first : 0) + in_block;
    const int64_t from = facts.received.block_per_rank ? i / problem.count : facts.reduces ? 0 : problem.root;
    Value value = contribution(static_cast<int>(from), within);
    for (int other = 1; facts.reduces && other < facts.reduced_until(rank, problem.processes); ++other)
      value = combined(value, contribution(other, within));
    values.push_back(value);
  }
  return values;
}

// Of an operation without data: nobody ends before all have begun.
std::string not_heard(const Problem& problem) {
  for (int rank = 0; rank < problem.processes; ++rank)
    for (int other = 0; other < problem.processes; ++other)
      if (!machine.has_heard(rank, other))
        return "rank " + std::to_string(rank) + " does not wait for rank " + std::to_string(other);
  return "";
}

std::string compared(const Algorithm& algorithm, const Problem& problem, const std::vector<ByRank>& by_rank) {
  const OperationFacts& facts = facts_of(problem.operation);
  if (!facts.has_data) return not_heard(problem);
  // Between the ranks.
  const bool differs = facts.contributed.block_per_rank || facts.prefix != Prefix::everybody || !by_rank.empty();
  std::vector<Value> right;
  for (int rank = 0; rank < problem.processes; ++rank) {
    if (!facts.has_result(rank == problem.root)) continue;
    if (facts.reduces && facts.reduced_until(rank, problem.processes) == 0) continue;
    if (right.empty() || differs) right = expected(problem, rank, by_rank);
    for (int64_t i = 0; i < static_cast<int64_t>(right.size()); ++i) {
      const Value &is = machine.data(rank, i), &should = right[static_cast<size_t>(i)];
      const std::string where = "rank " + std::to_string(rank) + ", element " + std::to_string(i) + ": ";
      if (is.sum != should.sum || is.power != should.power)
        return where + "a contribution is missing, twice or foreign";
      if (!algorithm.needs_commutative && is.sequence != should.sequence) return where + "not in the order of ranks";
      if (facts.reduces && !facts.received.root_only && !differs && is.tree != machine.data(0, i).tree)
        return where + "reduced in another way than on rank 0";
    }
  }
  return "";
}

void check(const Algorithm& algorithm, const Problem& problem, bool thorough, const std::vector<ByRank>& by_rank = {}) {
  std::vector<Schedule> schedules(static_cast<size_t>(problem.processes));
  for (int rank = 0; rank < problem.processes; ++rank)
    if (!algorithm.build(problem_of(problem, rank, by_rank), &schedules[static_cast<size_t>(rank)])) {
      return testing::fail(described(algorithm, problem, {}) + " isn't built");
    }
  for (const Machine::Options options : {Machine::Options{true, true}, {false, false}, {true, false}, {false, true}}) {
    std::string error = machine.run(schedules, problem, options, by_rank);
    if (error.empty()) error = compared(algorithm, problem, by_rank);
    if (!error.empty()) testing::fail(described(algorithm, problem, options) + ": " + error);
    if (!thorough && !options.in_place) break;
    if (facts_of(problem.operation).has_one_buffer() && !options.rendezvous) break;
  }
}

// The library's own operation is nothing to simulate: parts cover the data, once and in order.
void check_split_native(const Algorithm& algorithm, Problem problem) {
  for (problem.radix = 1; problem.radix < 6; ++problem.radix) {
    Schedule schedule;
    bool right = algorithm.build(problem, &schedule);
    int64_t next = 0;
    for (const Step& step : schedule.steps) {
      right &= step.kind == Step::Kind::native && step.from.first == next && step.from.count == step.to.count;
      right &= step.from.space == Space::data && step.to.space == Space::data && step.to.first == next;
      next += step.from.count;
    }
    if (!right || next != problem.count) testing::fail(described(algorithm, problem, {}));
  }
}

// Places in the order of the ranks or the other way round, with gaps or without.
std::vector<int64_t> places_of(const std::vector<int64_t>& counts, int kind) {
  std::vector<int64_t> places(counts.size());
  int64_t end = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const size_t rank = kind == 2 ? i : counts.size() - 1 - i;
    places[rank] = end;
    end += counts[rank] + (kind == 0 ? 2 : 0);
  }
  return places;
}

// More or less, none, and all at one rank.
void check_counts(const Algorithm& algorithm, const Problem& problem, bool thorough) {
  const int p = problem.processes;
  const OperationFacts& facts = facts_of(algorithm.operation);
  const bool own_for_each = facts.contributed.count_per_rank && facts.received.block_per_rank;
  for (const int kind : {0, 1, 2}) {
    const auto count = [&](int of) {
      return kind == 0 ? (of % 3 == 1 ? 0 : problem.count + of % 4) : kind == 2 && of == p / 2 ? problem.count + 5 : 0;
    };
    std::vector<ByRank> all(static_cast<size_t>(p));
    for (int rank = 0; rank < p; ++rank) {
      ByRank& own = all[static_cast<size_t>(rank)];
      own.own = count(rank);
      if (facts.has_root && rank != problem.root) continue;  // the root alone knows the others'
      for (int other = 0; other < p; ++other) {
        if (facts.contributed.count_per_rank) own.contributed.push_back(count(own_for_each ? rank + 2 * other : other));
        if (facts.received.block_per_rank) own.received.push_back(count(own_for_each ? other + 2 * rank : other));
      }
      if (own_for_each) own.contributed_places = places_of(own.contributed, (kind + rank) % 3);
      if (facts.contributed.root_only) own.contributed_places = places_of(own.contributed, kind);
      own.received_places = places_of(own.received, (kind + 2 * rank) % 3);
    }
    check(algorithm, problem, thorough, all);
  }
}

void check_variants(const Algorithm& algorithm, Problem problem, bool thorough) {
  std::vector<int> nodes(static_cast<size_t>(problem.processes));
  const bool two_level = std::strncmp(algorithm.name, "two_level", 9) == 0;
  // Neighbours on a node; a round robin; each for itself.
  const int last_layout = !two_level || problem.processes > 128 ? 0 : thorough ? 2 : 1;
  for (int layout = 0; layout <= last_layout; ++layout) {
    for (int rank = 0; rank < problem.processes; ++rank)
      nodes[static_cast<size_t>(rank)] = layout == 0 ? rank / 4 : layout == 1 ? rank % 3 : rank;
    if (two_level) problem.node_of = nodes.data();
    for (const int64_t segment : {0, 24, 8}) {
      problem.segment_bytes = segment;
      for (const int radix : {2, 3, 5}) {
        problem.radix = radix;
        if (thorough || radix == (algorithm.takes_radix ? 3 : 2)) check(algorithm, problem, thorough);
        if (facts_of(algorithm.operation).has_counts_by_rank() && radix == 2)
          check_counts(algorithm, problem, thorough);
        if (!algorithm.takes_radix) break;
      }
      if (!algorithm.takes_segments || (segment == 24 && !thorough)) break;
    }
  }
}

void check_processes(int p) {
  const bool thorough = p <= 33;
  const int64_t n = p;
  std::set<int64_t> counts = {1, n - 1, n + 1};
  if (thorough) counts.insert({0, n, 4 * n + 3, 50});
  if (p <= 128) counts.insert(3 * n + 2);
  if (p > 128) counts = {1, p == 500 ? n - 1 : n + 1};
  std::set<int> roots = {0, p / 3, p - 1};
  if (p <= 8)
    for (int root = 0; root < p; ++root) roots.insert(root);
  if (p > 64) roots = {p / 3};
  for (const Algorithm& algorithm : algorithms()) {
    const OperationFacts& facts = facts_of(algorithm.operation);
    if (facts.for_neighbours) continue;  // neighbours_test.cpp
    // Where every rank has a block of every rank, p blocks of p elements each are too many.
    const bool quadratic = (facts.contributed.block_per_rank && !facts.contributed.root_only) ||
                           (facts.received.block_per_rank && !facts.received.root_only);
    const bool prefix = facts.prefix != Prefix::everybody;
    const std::set<int64_t> few = thorough ? std::set<int64_t>{0, 1, 3, 11} : std::set<int64_t>{1, 5};
    for (const int64_t count : !facts.has_data                                     ? std::set<int64_t>{0}
                               : prefix || (quadratic && facts.reduces && p <= 17) ? few
                               : !quadratic                                        ? counts
                               : thorough                                          ? std::set<int64_t>{0, 1, 3}
                                                                                   : std::set<int64_t>{1})
      for (const int root : roots) {
        if (root != *roots.begin() && !facts.has_root) continue;
        Problem problem;
        problem.operation = algorithm.operation;
        problem.processes = p;
        problem.root = root;
        problem.count = count;
        problem.element_bytes = 8;
        problem.shares_memory = algorithm.needs_memory;
        if (std::strcmp(algorithm.name, "split_native") == 0)
          check_split_native(algorithm, problem);
        else
          check_variants(algorithm, problem, thorough);
      }
  }
}

}  // namespace

// schedules_test [MOST]: with at most so many processes.
int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 512;
  for (int p = 1; p <= 17; ++p) check_processes(p);
  for (const int p : {32, 33, 64, 100, 127, 128, 256, 500, 512})
    if (p <= most) check_processes(p);
  return testing::result();
}
