// Synchronous sends that become standard ones, gathers in place of sends, polls in vain, and file calls that take
// another time: by hand. Random recordings have both in exchange_changes_test.cpp.

#include "../native/check.hpp"
#include "random_trees.hpp"
#include "replay/changes/change.hpp"
#include "replayed_tree.hpp"

namespace {

using namespace leadline::test;

// Even ranks send to odd ones, which compute for 50 µs before they receive; three steps.
Tree late_receivers(int64_t bytes, bool nonblocking) {
  TreeBuilder b(2, Classes::by_parity);
  for (size_t c = 0; c < 2; ++c) b.loop(c, main_loop_number, 3);
  b.sends_are(leadline::trace::SendMode::synchronous);
  if (nonblocking) {
    b.wait(0, {b.isend(0, 1, 1, bytes, 10)}, 11);
  } else {
    b.send(0, 1, 1, bytes, 10);
  }
  b.compute(1, 50000);
  b.receive(1, -1, 1, bytes, 12);
  for (size_t c = 0; c < 2; ++c) b.end(c);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

// The sender's own end: 3 * 50 µs if it waits for each receive, else what the calls take.
int64_t sender_ends_ps(const Tree& tree, int64_t copied_bytes = INT64_MAX, size_t sender = 0) {
  const Recorded recorded(main_loop_number, std::vector<RecordedTimes>(tree.members.size()));
  Settings settings;
  settings.eager_bytes = 2000;
  settings.copied_bytes = copied_bytes;
  settings.latency_ns = 200;
  Differences differences;
  return replay(program_of(recorded, tree, settings, &differences)).end_ps[sender];
}

void synchronous_sends_of_short_messages_no_longer_wait() {
  for (const bool nonblocking : {false, true}) {
    for (const int64_t bytes : {int64_t{100}, int64_t{100000}}) {
      Tree tree = late_receivers(bytes, nonblocking);
      testing::check_equal(sender_ends_ps(tree) >= 150'000'000, true, "a synchronous send waits");
      Made made;
      testing::check_equal(relax_sends({{}, {10}}, &tree, &made), "", "relax");
      testing::check_equal(made.calls_before, uint64_t{3}, "calls");
      testing::check_equal(sender_ends_ps(tree) >= 150'000'000, bytes > 2000, "a standard one only if it is long");
      testing::check_equal(sender_ends_ps(tree, 99) >= 150'000'000, true, "one in place waits, too");
      testing::check_equal(sender_ends_ps(tree, 100) >= 150'000'000, bytes > 2000, "one that is copied does not");
      replayed(tree, "relaxed", false);
      replayed(tree, "relaxed, in a network", true);
    }
  }
}

void gathers_wait_where_sends_did() {
  TreeBuilder b(3, Classes::first_alone);
  for (size_t c = 0; c < 2; ++c) b.loop(c, main_loop_number, 3);
  b.compute(0, 50000);
  b.receive(0, 1, 9, 400, 11);
  b.receive(0, 2, 9, 400, 12);
  b.send_to_first(1, 9, 400, 10);
  for (size_t c = 0; c < 2; ++c) b.end(c);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  Made made;
  for (const bool gathers : {false, true}) {
    if (gathers) testing::check_equal(gather({{}, {10, 11, 12}}, &b.tree, &made), "", "gather");
    testing::check_equal(sender_ends_ps(b.tree, 399, 1) >= 150'000'000, true, "in place");
    testing::check_equal(sender_ends_ps(b.tree, 400, 1) >= 150'000'000, false, "copied");
  }
}

void file_calls_take_so_much_of_their_time() {
  for (const double factor : {0.0, 0.25, 1.0, 3.0}) {
    TreeBuilder b(2, Classes::one);
    b.loop(0, main_loop_number, 5);
    b.compute(0, 700);
    b.file(0, 4000, 10);
    b.file(0, 1000, 11);
    b.end(0);
    std::mt19937_64 random(1);
    b.finish(&random, 0);
    Made made;
    testing::check_equal(scale_files({{}, {10}}, factor, &b.tree, &made), "", "files");
    const auto expected = static_cast<int64_t>(5 * (700 + 1000 + factor * 4000) * 1000);
    testing::check_equal(replayed(b.tree, "files", false).end_ps, expected, "end");
  }
}

void polls_that_find_nothing_become_one() {
  TreeBuilder b(1, Classes::one);
  b.loop(0, main_loop_number, 4);
  b.compute(0, 10000);
  b.file(0, 1000, 10);
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  b.tree.members[0].polls = {{0, 1, 7, 64, 8000, 100}, {0, 3, 8, 64, 8000, 100}};
  Made made;
  testing::check_equal(poll_once({{}, {7}}, false, &b.tree, &made), "", "polls of one site");
  testing::check_equal(made.calls_before, uint64_t{64}, "polls before");
  testing::check_equal(made.calls_after, uint64_t{1}, "polls after");
  testing::check_equal(replayed(b.tree, "polls", false).end_ps, int64_t{(4 * 11000 - 7900) * 1000}, "end");
  testing::check_equal(poll_once({{main_loop_number}, {}}, false, &b.tree, &made), "", "polls in a loop");
  testing::check_equal(replayed(b.tree, "polls", false).end_ps, int64_t{(4 * 11000 - 2 * 7900) * 1000}, "end");
}

void what_is_neither_is_refused() {
  Tree tree = late_receivers(100, false);
  Made made;
  testing::check_equal(relax_sends({{}, {12}}, &tree, &made), "no synchronous send is there", "a receive");
  testing::check_equal(scale_files({{}, {10}}, 0.5, &tree, &made), "no blocking file call is there", "a send");
  testing::check_equal(poll_once({{}, {10}}, false, &tree, &made),
                       "no polls that find nothing are there, or their times were not kept", "no polls");
}

}  // namespace

int main() {
  synchronous_sends_of_short_messages_no_longer_wait();
  gathers_wait_where_sends_did();
  file_calls_take_so_much_of_their_time();
  polls_that_find_nothing_become_one();
  what_is_neither_is_refused();
  return testing::result();
}
