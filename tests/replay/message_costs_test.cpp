// What a run's own messages say about their costs, replayed: by hand.

#include "../native/check.hpp"
#include "random_trees.hpp"
#include "replay/changes/change.hpp"
#include "replayed_tree.hpp"

namespace {

using namespace leadline::test;

constexpr int steps = 5;
constexpr int64_t latency = 200;  // of replayed()
constexpr int64_t send = 5;       // the shortest of TreeBuilder's calls

// Rank 0 sends, then receives; rank 1 receives, then sends.
Tree in_turn(int64_t bytes) {
  TreeBuilder b(2, Classes::by_parity);
  for (size_t c = 0; c < 2; ++c) b.loop(c, main_loop_number, steps);
  b.send(0, 1, 1, bytes, 10);
  b.receive(0, 1, 2, bytes, 11);
  b.receive(1, -1, 1, bytes, 12);
  b.send(1, -1, 2, bytes, 13);
  for (size_t c = 0; c < 2; ++c) b.end(c);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

// 700 ns for a receive of 100 bytes, 100 of them the message's own, and 630 for one of 5,000.
MessageCosts costs() {
  MessageCosts made;
  for (const uint32_t site : {11u, 12u}) {
    made.receives[{site, 7}] = {700, 100};
    made.receives[{site, 13}] = {630, 30};
  }
  made.call_ns = 600;
  made.long_send_ns = 4;
  made.long_receive_ns = 630;
  made.long_busy_ns[5000] = 500;
  return made;
}

void a_receive_costs_its_time_after_its_message_has_arrived() {
  const Replayed found = replayed(in_turn(100), "in turn", false, 0, false, costs());
  testing::check_equal(found.end_ps, steps * 2 * (send + latency + 700) * 1000, "end");
}

void a_late_receive_costs_as_much() {
  TreeBuilder b(2, Classes::by_parity);
  b.send(0, 1, 1, 100, 10);
  b.compute(1, 5000);
  b.receive(1, -1, 1, 100, 12);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  testing::check_equal(replayed(b.tree, "late", false, 0, false, costs()).end_ps, int64_t{5'700'000}, "end");
}

void messages_that_one_call_waits_for_share_its_own_time() {
  Tree tree = in_turn(100);
  Made made;
  testing::check_equal(nonblocking({{}, {10, 11, 12, 13}}, &tree, &made), "", "nonblocking");
  const Replayed found = replayed(tree, "nonblocking", false, 0, false, costs());
  testing::check_equal(found.end_ps, steps * (send + latency + 100 + 600) * 1000, "end");
}

// Question, answer and the way take a latency each; then both ranks are busy until the message is there.
void a_long_message_keeps_both_ranks_busy() {
  const Replayed found = replayed(in_turn(5000), "long", false, 0, false, costs());
  testing::check_equal(found.end_ps, steps * 2 * (4 + 3 * latency + 500 + 630) * 1000, "end");
}

// Both ranks copy at once what they copied in turn: only these messages take longer.
void long_messages_that_are_exchanged_at_once_take_longer() {
  const auto end_ps = [](double together) {
    Tree tree = in_turn(5000);
    Made made;
    testing::check_equal(nonblocking({{}, {10, 11, 12, 13}}, &tree, &made), "", "nonblocking");
    MessageCosts known = costs();
    known.together = together;
    return replayed(tree, "at once", false, 0, false, known).end_ps;
  };
  testing::check_equal(end_ps(1.5) - end_ps(1), steps * 250 * 1000, "more of the busy time");
  MessageCosts known = costs();
  known.together = 1.5;
  testing::check_equal(replayed(in_turn(5000), "in turn", false, 0, false, known).end_ps,
                       replayed(in_turn(5000), "in turn", false, 0, false, costs()).end_ps, "in turn");
}

void the_time_of_unknown_sizes_follows_from_the_nearest_ones() {
  MessageCosts made = costs();
  made.long_busy_ns[10000] = 2000;
  testing::check_equal(made.busy_ns(2500), 250.0, "shorter than all");
  testing::check_equal(made.busy_ns(7500), 1250.0, "between");
  testing::check_equal(made.busy_ns(20000), 4000.0, "longer than all");
  made.long_start_ns = 450;  // of the shorter size at most 400
  testing::check_equal(made.busy_ns(2500), 450.0, "shorter, with a start");
  testing::check_equal(made.busy_ns(7500), 1250.0, "between, with a start");
  testing::check_equal(made.busy_ns(20000), 3550.0, "longer, with a start");
}

void the_rest_of_a_send_comes_after_its_message_has_left() {
  MessageCosts made = costs();
  made.after_send = 0.5;
  const Replayed found = replayed(in_turn(100), "after", false, 0, false, made);
  // Ranks wait then anyway, except for the last one.
  testing::check_equal(found.end_ps, steps * 2 * (send * 500 + (latency + 700) * 1000), "end");
}

}  // namespace

int main() {
  a_receive_costs_its_time_after_its_message_has_arrived();
  a_late_receive_costs_as_much();
  messages_that_one_call_waits_for_share_its_own_time();
  a_long_message_keeps_both_ranks_busy();
  long_messages_that_are_exchanged_at_once_take_longer();
  the_time_of_unknown_sizes_follows_from_the_nearest_ones();
  the_rest_of_a_send_comes_after_its_message_has_left();
  return testing::result();
}
