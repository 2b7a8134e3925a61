// All-to-alls with data for few ranks, or on few ranks: by hand.

#include "../native/check.hpp"
#include "random_trees.hpp"
#include "replay/changes/change.hpp"
#include "replayed_tree.hpp"

namespace {

using namespace leadline::test;

int64_t in_a_row(uint32_t from, uint32_t to) { return from + 1 == to || to + 1 == from ? 100 : 0; }
int64_t in_a_row_and_own(uint32_t from, uint32_t to) { return from == to ? 50 : in_a_row(from, to); }
int64_t first_three(uint32_t from, uint32_t to) { return from < 3 && to < 3 ? 10 : 0; }
int64_t nothing(uint32_t, uint32_t) { return 0; }

// Three steps; the last rank computes longer before the call, and shorter after it.
template <class Counts>
Tree steps_of(uint32_t ranks, Classes classes, const Counts& counts) {
  TreeBuilder b(ranks, classes);
  for (size_t c = 0; c < b.classes(); ++c) {
    b.loop(c, main_loop_number, 3);
    b.compute(c, 1000);
    b.all_to_all_by_counts(c, counts, 10);
    b.compute(c, 2000);
    b.collective(c, "MPI_Allreduce", 8, 11);
    b.end(c);
  }
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  TreeMember& last = b.tree.members.back();
  for (float& ns : last.before_ns[0]) ns = 2000;
  for (float& ns : last.before_ns[1]) ns = 1000;
  return b.tree;
}

void ranks_with_data_exchange_messages() {
  for (const Classes classes : {Classes::one, Classes::by_parity}) {
    for (const bool own : {false, true}) {
      Tree tree = own ? steps_of(5, classes, in_a_row_and_own) : steps_of(5, classes, in_a_row);
      const double before_ns = computation(tree);
      Made made;
      testing::check_equal(exchange_few({{}, {10}}, &tree, &made), "", "change");
      testing::check_equal(computation(tree), before_ns, "all computation");
      testing::check_equal(made.calls_before, uint64_t{5 * 3}, "calls before");
      testing::check_equal(replayed(tree, "few", false).messages, uint64_t{3 * 2 * 4}, "messages");
      replayed(tree, "few, in a network", true);
      int64_t bytes = 0;
      for (const TreeLeaf& leaf : tree.classes[0].leaves)
        for (const auto& part : leaf.leaf.parts) bytes += leaf.spread ? part.of(0).out_bytes : 0;
      testing::check_equal(bytes, int64_t{800}, "the first rank has one partner");
    }
  }
}

void messages_cost_what_sends_do() {
  Tree tree = steps_of(2, Classes::one, in_a_row);
  Made made;
  testing::check_equal(exchange_few({{}, {10}}, &tree, &made), "", "change");
  MessageCosts cheap, dear;
  cheap.long_busy_ns = dear.long_busy_ns = {{5000, 100}};
  dear.long_send_ns = 300;
  // Of both, the send, the receive's message when it is waited for.
  const int64_t more =
      replayed(tree, "dear", false, 0, false, dear).end_ps - replayed(tree, "cheap", false, 0, false, cheap).end_ps;
  testing::check_equal(more, int64_t{3 * 600 * 1000}, "cost");
}

void nothing_to_exchange_is_no_call() {
  Tree tree = steps_of(4, Classes::one, nothing);
  Made made;
  testing::check_equal(exchange_few({{}, {10}}, &tree, &made), "", "change");
  testing::check_equal(replayed(tree, "none", false).messages, uint64_t{0}, "messages");
}

void ranks_without_data_need_not_come() {
  for (const Classes classes : {Classes::one, Classes::by_parity, Classes::first_alone}) {
    Tree tree = steps_of(4, classes, first_three);
    const int64_t before = replayed(tree, "with all", false).end_ps;
    Made made;
    testing::check_equal(leave_out_idle({{}, {10}}, &tree, &made), "", "change");
    testing::check_equal(made.calls_before, uint64_t{4 * 3}, "calls before");
    testing::check_equal(made.calls_after, uint64_t{3 * 3}, "calls after");
    testing::check_equal(tree.communicators.size(), size_t{2}, "communicators");
    const int64_t after = replayed(tree, "without the last", false).end_ps;
    // The others waited 1 us in each step; the call itself stays.
    testing::check_equal(before - after, int64_t{3 * 1'000'000}, "saved");
    replayed(tree, "in a network", true);
  }
}

void what_cannot_be_changed_is_refused() {
  Made made;
  Tree all = steps_of(4, Classes::one, in_a_row);
  testing::check_equal(leave_out_idle({{}, {10}}, &all, &made), "every rank has data in the collectives there", "all");
  testing::check_equal(exchange_few({{}, {11}}, &all, &made), "MPI_Allreduce is no MPI_Alltoallv or MPI_Alltoallw",
                       "another collective");
  testing::check_equal(exchange_few({{}, {12}}, &all, &made), "no MPI_Alltoallv is there", "no call");
  Tree none = steps_of(4, Classes::one, nothing);
  testing::check_equal(leave_out_idle({{}, {10}}, &none, &made),
                       "only one rank has data, or none: there is nothing to communicate", "none");
  Tree lost = steps_of(4, Classes::one, in_a_row);
  lost.classes[0].leaves[0].leaf.counts = {};
  lost.classes[0].leaves[0].leaf.counts.add({});
  testing::check_equal(exchange_few({{}, {10}}, &lost, &made), "the counts of MPI_Alltoallv were not kept", "counts");
}

}  // namespace

int main() {
  ranks_with_data_exchange_messages();
  messages_cost_what_sends_do();
  nothing_to_exchange_is_no_call();
  ranks_without_data_need_not_come();
  what_cannot_be_changed_is_refused();
  return testing::result();
}
