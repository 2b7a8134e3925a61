// The leaves of timed trees add up to all calls, and the tree of a class expands to the calls of each of its members.
#include "calls/class_trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "calls/leaf_calls.hpp"
#include "structure/timed_tree.hpp"

namespace {

using testing::check;
using namespace leadline;
using calls::ClassTrees;
using recording::MemoryThread;
using trace::Key;
using trace::Stream;
using trace::programs::below;
using trace::programs::plain;
using trace::programs::Random;

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)) + 1e-3; }

bool calls_without_place = false;  // in any program

void timed_leaves_add_up(const char* kind, uint64_t seed) {
  const std::string name = std::string(kind) + " " + std::to_string(seed);
  Random r(seed);
  MemoryThread thread;
  for (const Key& k : trace::programs::program(kind, r)) {
    thread.add(k, 100 + below(r, 1000), 10 + below(r, 100));
    if (below(r, 30000) == 0) thread.turn();
  }
  std::string error;
  const Stream stream = thread.decode(&error);
  const structure::TimedTree timed = structure::timed_tree(stream);
  double sum_ns = 0, before_ns = 0, leaves_ns = 0, leaves_before_ns = 0;
  double placed_before_ns = 0, shared_before_ns = 0;  // of calls with a place, and of those without
  for (const trace::WrittenGeneration& written : stream.generations) {
    const std::shared_ptr<const trace::Generation> decoded = written.decoded();
    const trace::Generation& g = *decoded;
    for (size_t i = trace::first_position; !g.unordered && i < g.positions.size(); ++i) {
      sum_ns += g.positions[i].times.sum_ns;
      before_ns += g.positions[i].times.gap_sum_ns;
      const uint32_t mode = g.positions[i].mode;
      if (!mode || mode == trace::mode_first_wild) placed_before_ns += g.positions[i].times.gap_sum_ns;
    }
  }
  uint64_t calls = 0;
  for (const structure::LeafTimes& leaf : timed.times) {
    calls += leaf.calls;
    leaves_ns += leaf.total_ns();
    leaves_before_ns += leaf.total_before_ns();
    shared_before_ns += static_cast<double>(leaf.shared) * leaf.shared_before_ns;
    check(leaf.duration_ns >= leaf.least_ns - 1 && leaf.duration_ns <= leaf.most_ns + 1, name + ": mean of a leaf");
    check(leaf.deviation_ns >= 0 && leaf.deviation_ns <= leaf.most_ns - leaf.least_ns + 1, name + ": spread of a leaf");
  }
  check(error.empty() && calls == timed.tree.count_calls()[timed.tree.root], name + ": calls of leaves " + error);
  check(near(sum_ns, leaves_ns), name + ": durations " + std::to_string(sum_ns) + " " + std::to_string(leaves_ns));
  check(near(before_ns, leaves_before_ns), name + ": computation before the calls");
  check(near(before_ns, placed_before_ns + shared_before_ns), name + ": computation before calls without a place");
  calls_without_place |= shared_before_ns > 0;
}

// Sends and receives, each with a communicator of its own rank.
trace::Process process_with(int32_t rank, uint32_t sites, uint32_t loops) {
  trace::Process p;
  p.rank = rank;
  p.functions = {{"MPI_Send", trace::CallClass::send}, {"MPI_Recv", trace::CallClass::recv}};
  p.communicators.resize(2);
  p.communicators[1].identity = 77;
  p.communicators[1].rank = rank;
  p.communicators[1].size = 64;
  std::vector<int32_t> world;
  for (int32_t i = 0; i < 64; ++i) world.push_back(i);
  p.communicators[1].world = trace::Members(world);
  p.datatypes.resize(4);
  p.datatypes[3].size = 8;
  p.streams.resize(1);
  Stream& stream = p.streams[0];
  stream.sites.resize(sites);
  for (uint32_t s = 0; s < sites; ++s) stream.sites[s].function = s % 2;
  stream.loops.resize(loops);
  return p;
}

constexpr uint32_t sites = 8, inner_sites = 4;

// Computation before the calls of a site varies by a tenth about its mean.
uint64_t gap_before(uint32_t site, uint64_t call) { return site * 100 * (call % 2 ? 9 : 11); }

// An outer loop around sites 1 to 3 and an inner one around sites 4 to 7; partners and sizes are the rank's own.
trace::Process rank_of(int32_t rank, uint64_t seed, uint64_t steps, std::vector<Key>* made) {
  Random r(seed);
  trace::Process p = process_with(rank, sites, 3);
  MemoryThread thread;
  const auto call = [&](uint32_t site, uint64_t way) {
    made->push_back(plain(site, 8 * (rank + 1), static_cast<int32_t>(way) + rank % 3 + 1, 0));
    thread.add(made->back(), 100 + static_cast<uint64_t>(rank), gap_before(site, made->size()));
  };
  for (uint64_t i = 0; i < steps; ++i) {
    for (uint32_t s = 1; s < inner_sites; ++s) call(s, 0);
    for (uint64_t k = 1 + below(r, 3); k > 0; --k) {
      for (uint32_t s = inner_sites; s < sites; ++s) call(s, s + below(r, 2));
    }
  }
  std::string error;
  Stream recorded = thread.decode(&error);
  Stream& stream = p.streams[0];
  stream.generations = std::move(recorded.generations);
  stream.series = std::move(recorded.series);
  stream.loops[2].outer = 1;
  stream.site_loops.assign(sites, 1);
  stream.site_loops[0] = 0;
  for (uint32_t s = inner_sites; s < sites; ++s) stream.site_loops[s] = 2;
  for (uint32_t s = 1; s < sites; ++s) stream.back_edges.push_back({s, 1, 1});
  stream.back_edges.push_back({sites - 1, inner_sites, 2});
  std::sort(stream.back_edges.begin(), stream.back_edges.end());
  check(error.empty(), error);
  return p;
}

void series_are_those_of_the_leaves(uint64_t seed) {
  const std::string name = "series " + std::to_string(seed);
  std::vector<Key> made;
  const trace::Process p = rank_of(1, seed, 40, &made);
  const structure::TimedTree timed = structure::timed_tree(p.streams[0]);
  std::vector<uint64_t> calls(timed.times.size());
  std::vector<double> sums(timed.times.size());
  uint64_t all = 0, with_times = 0;
  calls::for_each_leaf_call(p, 0, calls::Leaves::of(timed.tree), nullptr, [&](uint32_t leaf, calls::ThreadCalls& call) {
    ++calls[leaf];
    check(all < made.size() && made[all].site == call.decoded().site, name + ": call " + std::to_string(all));
    ++all;
    with_times += call.timed();
    sums[leaf] += call.event().duration_ns;
  });
  check(all == made.size() && with_times == all, name + ": all calls, with their times");
  for (size_t i = 0; i < calls.size(); ++i) {
    check(calls[i] == timed.times[i].calls, name + ": calls of a leaf");
    // Each time is within 3 % in the trace.
    check(std::abs(sums[i] - timed.times[i].total_ns()) <= 0.03 * sums[i] + 1, name + ": times of a leaf");
  }
}

// By the leaves of the class: each call of a member, and the computation before it.
void single_calls_are_told(const std::string& name, const trace::Process& p, const calls::Leaves& leaves,
                           const ClassTrees::Class& c, size_t member, const std::vector<Key>& own) {
  size_t at = 0;
  bool same = true;
  std::vector<std::vector<double>> gaps(leaves.tree->calls.size());
  calls::for_each_leaf_call(p, 0, leaves, nullptr, [&](uint32_t number, calls::ThreadCalls& call) {
    const calls::Leaf* leaf = c.leaf(number);
    same = same && leaf && at < own.size() && leaf->site == 100 + own[at].site &&
           call.decoded().partner.peer == own[at].peer && leaf->partner.of(member).peer == own[at].peer;
    ++at;
    const auto gap = static_cast<double>(gap_before(call.decoded().site, at));
    // Each time is within 3 % in the trace.
    check(call.timed() && !call.event().polled && std::abs(call.event().gap_ns - gap) <= 0.03 * gap + 1,
          name + ": time before a call");
    gaps[number].push_back(gap);
  });
  check(same && at == own.size(), name + ": leaf of call " + std::to_string(at));
  for (const uint32_t number : c.numbers) {
    const std::vector<double>& should = gaps[number];
    double sum = 0;
    for (const double gap : should) sum += gap;
    const double mean = sum / static_cast<double>(should.size());
    check(std::abs(c.leaf(number)->times.of(member).before_ns - mean) <= 0.03 * mean + 1, name + ": mean of the leaf");
  }
}

void class_expands_to_its_members(uint64_t seed) {
  const std::string name = "class " + std::to_string(seed);
  constexpr int32_t ranks = 5;
  const std::vector<uint32_t> run_sites{100, 101, 102, 103, 104, 105, 106, 107}, run_loops{0, 11, 12};
  ClassTrees trees;
  std::vector<std::vector<Key>> made(ranks + 1);
  std::vector<trace::Process> processes;
  for (int32_t rank = 0; rank <= ranks; ++rank) {
    // The last one goes another way.
    processes.push_back(rank_of(rank, rank < ranks ? seed : seed + 1000, 40, &made[static_cast<size_t>(rank)]));
    const calls::Membership m = trees.add(processes.back(), static_cast<uint32_t>(rank), 0, {run_sites, run_loops});
    check(trees.classes()[m.of].members[m.member].process == static_cast<uint32_t>(rank), name + ": membership");
  }
  if (made[ranks].size() != made[0].size()) check(trees.classes().size() == 2, name + ": two ways");
  for (const ClassTrees::Class& c : trees.classes()) {
    for (size_t m = 0; m < c.members.size(); ++m) {
      const std::vector<Key>& own = made[c.members[m].process];
      size_t at = 0;
      bool same = true;
      structure::CallsInOrder calls = trees.calls_of(c);
      uint32_t number = 0;
      for (uint64_t times = 0; calls.next(&number, &times);) {
        const calls::Leaf* leaf = c.leaf(number);
        for (; times && same; --times, ++at) {
          same = leaf && at < own.size() && leaf->site == 100 + own[at].site && leaf->parts.size() == 1 &&
                 leaf->partner.of(m).peer == own[at].peer && leaf->posted_bytes.of(m) == 8 * own[at].count &&
                 leaf->parts[0].of(m).partner.peer == own[at].peer && leaf->identity.of(m) == 77;
        }
      }
      check(same && at == own.size(), name + ": call " + std::to_string(at) + " of member " + std::to_string(m));
      uint64_t all = 0;
      double sum_ns = 0;
      trees.for_each_leaf(c, [&](uint32_t, const calls::Leaf& leaf, uint64_t times) {
        check(leaf.times.of(m).calls == times && leaf.identity.alike(), name + ": a leaf's calls");
        all += times;
        sum_ns += leaf.times.of(m).total_ns();
      });
      check(all == own.size(), name + ": calls of leaves");
      single_calls_are_told(name, processes[c.members[m].process], trees.leaves_of(c, {run_sites, run_loops}), c, m,
                            own);
      check(near(sum_ns, static_cast<double>(own.size()) * (100 + c.members[m].process)), name + ": its time");
    }
  }
  check(!trees.classes().empty() && trees.classes()[0].members.size() >= ranks, name + ": members");
}

}  // namespace

int main() {
  for (const char* kind :
       {"tree", "small alphabet", "literals first", "mixture", "sizes vary", "polls between", "many distinct"}) {
    for (uint64_t seed = 1; seed <= 2; ++seed) timed_leaves_add_up(kind, seed);
  }
  check(calls_without_place, "some program has calls without a place");
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    class_expands_to_its_members(seed);
    series_are_those_of_the_leaves(seed);
  }
  return testing::result();
}
