// Computation made even, on trees made by hand: two ranks, four iterations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "random_trees.hpp"
#include "replay/changes/change.hpp"

namespace {

using namespace leadline::test;

constexpr uint64_t steps = 4;

using Step = std::function<void(TreeBuilder* builder, size_t rank)>;

Tree tree_of(const Step& step) {
  TreeBuilder builder(2, Classes::by_parity);
  for (size_t rank = 0; rank < 2; ++rank) {
    builder.loop(rank, main_loop_number, steps);
    step(&builder, rank);
    builder.end(rank);
  }
  builder.finish(nullptr, 0);
  return builder.tree;
}

void check_near(double found, double expected, const std::string& what) {
  testing::check(std::abs(found - expected) < 1e-3,
                 what + ": " + std::to_string(found) + " instead of " + std::to_string(expected));
}

// The computation before the rank's calls in each iteration.
void check(const Tree& tree, size_t rank, const std::vector<double>& expected, const std::string& what) {
  const TreeMember& member = tree.members[rank];
  testing::check_equal(member.before_ns.size(), expected.size(), what + ": leaves");
  for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
    for (const float ns : member.before_ns[leaf])
      check_near(ns, expected[leaf], what + ": rank " + std::to_string(rank) + ", call " + std::to_string(leaf));
  }
}

Tree balanced(Tree tree, bool each_iteration) {
  Made made;
  testing::check_equal(balance(each_iteration, &tree, &made), "", "balance");
  return tree;
}

void opposite_unevenness_does_not_cancel() {
  const Tree tree = tree_of([](TreeBuilder* b, size_t rank) {
    b->compute(rank, rank ? 100 : 300);
    b->collective(rank, "MPI_Allreduce", 8, 10);
    b->compute(rank, rank ? 500 : 100);
    b->collective(rank, "MPI_Allreduce", 8, 11);
  });
  for (const bool each : {false, true}) {
    const Tree even = balanced(tree, each);
    check(even, 0, {200, 300}, "opposite");
    check(even, 1, {200, 300}, "opposite");
  }
}

// What is even before a message stays so, though the ranks' whole computation is not.
void what_is_even_stays() {
  const Tree tree = tree_of([](TreeBuilder* b, size_t rank) {
    b->compute(rank, 70);
    b->send_and_receive(rank, 1, 1, 3, 8, 10);
    b->compute(rank, rank ? 0 : 200);
    b->collective(rank, "MPI_Allreduce", 8, 11);
  });
  for (const bool each : {false, true}) {
    const Tree even = balanced(tree, each);
    check(even, 0, {70, 100}, "even part");
    check(even, 1, {70, 100}, "even part");
  }
}

void iterations_keep_what_changes_from_one_to_the_next() {
  Tree tree = tree_of([](TreeBuilder* b, size_t rank) {
    b->compute(rank, rank ? 100 : 300);
    b->collective(rank, "MPI_Allreduce", 8, 10);
  });
  tree.members[0].before_ns[0] = {300, 300, 600, 0};
  tree.members[1].before_ns[0] = {50, 50, 50, 50};
  const Tree all = balanced(tree, false), each = balanced(tree, true);
  for (uint64_t i = 0; i < steps; ++i) {
    check_near(all.members[0].before_ns[0][i], std::vector<double>{175, 175, 350, 0}[i], "in proportion");
    for (const TreeMember& member : each.members)
      check_near(member.before_ns[0][i], std::vector<double>{175, 175, 325, 25}[i], "each iteration");
  }
  // A rank that hardly computes gets what the ranks compute on average in each iteration.
  check_near(all.members[1].before_ns[0][2], 325, "hardly any");
}

// One rank makes calls that the other does not: what it computes before them belongs to the next common call.
void calls_of_one_rank_cut_nothing() {
  const Tree tree = tree_of([](TreeBuilder* b, size_t rank) {
    if (!rank) {
      b->compute(rank, 60);
      b->local(rank, 20);
    }
    b->compute(rank, rank ? 50 : 30);
    b->collective(rank, "MPI_Allreduce", 8, 10);
  });
  const Tree even = balanced(tree, true);
  check(even, 0, {60 * 70 / 90.0, 30 * 70 / 90.0}, "calls of one rank");
  check(even, 1, {70}, "calls of one rank");
}

// Likewise if it makes them after the last common call: the other has its part before its next call.
void no_computation_is_lost_at_the_end() {
  const Tree tree = tree_of([](TreeBuilder* b, size_t rank) {
    b->compute(rank, 50);
    b->collective(rank, "MPI_Allreduce", 8, 10);
    if (!rank) {
      b->compute(rank, 40);
      b->local(rank, 20);
    }
  });
  const Tree even = balanced(tree, true);
  check(even, 0, {50, 20}, "after the last");
  check_near(even.members[1].before_ns[0][0], 50, "first iteration");
  for (uint64_t i = 1; i < steps; ++i) check_near(even.members[1].before_ns[0][i], 70, "later ones");
}

// Where the ranks go other ways, collectives cut, and without them only iterations.
void another_order_of_calls() {
  const auto step = [](bool collectives) {
    return tree_of([&](TreeBuilder* b, size_t rank) {
      b->compute(rank, rank ? 10 : 30);
      b->local(rank, rank ? 20 : 21);
      if (collectives) b->collective(rank, "MPI_Allreduce", 8, 10);
      b->compute(rank, rank ? 50 : 10);
      b->local(rank, rank ? 21 : 20);
    });
  };
  const Tree by_collectives = balanced(step(true), false);
  check(by_collectives, 0, {20, 0, 30}, "collectives");
  check(by_collectives, 1, {20, 0, 30}, "collectives");
  const Tree by_iterations = balanced(step(false), false);
  check(by_iterations, 0, {30 * 50 / 40.0, 10 * 50 / 40.0}, "iterations");
  check(by_iterations, 1, {10 * 50 / 60.0, 50 * 50 / 60.0}, "iterations");
}

double computation_in_loop(const Tree& tree, const TreeMember& member) {
  const RecordedShape& shape = tree.classes[member.of_class].shape;
  std::vector<size_t> used(member.before_ns.size());
  double sum = 0;
  shape.for_each_call([&](uint32_t leaf, uint64_t iteration) {
    const size_t number = used[leaf]++;
    if (iteration != RecordedShape::outside) sum += member.before_ns[leaf][number];
  });
  return sum;
}

// Whatever the ranks do, and whether they do the same: work is neither made nor lost, but for what a rank without any
// call there would compute at the very end.
void random_programs_keep_their_work() {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Tree tree = RandomTree(seed).tree();
    const std::string what = "seed " + std::to_string(seed);
    std::mt19937_64 random(seed);
    for (TreeMember& member : tree.members)
      for (auto& ns : member.before_ns)
        for (float& each : ns) each *= static_cast<float>(random() % 4);
    const Tree even = balanced(tree, true);
    double before = 0, after = 0, most = 0;
    for (size_t rank = 0; rank < tree.members.size(); ++rank) {
      before += computation_in_loop(tree, tree.members[rank]);
      const double own = computation_in_loop(even, even.members[rank]);
      after += own;
      most = std::max(most, own);
    }
    const double mean = before / static_cast<double>(tree.members.size());
    testing::check(after <= before * (1 + 1e-4) + 1, what + ": no more work");
    testing::check(most <= mean * (1 + 1e-4) + 1, what + ": no rank has more than the mean");
    testing::check(after >= before / 2, what + ": at most the end of the last of two iterations is left out");
  }
}

}  // namespace

int main() {
  opposite_unevenness_does_not_cancel();
  what_is_even_stays();
  iterations_keep_what_changes_from_one_to_the_next();
  calls_of_one_rank_cut_nothing();
  no_computation_is_lost_at_the_end();
  another_order_of_calls();
  random_programs_keep_their_work();
  return testing::result();
}
