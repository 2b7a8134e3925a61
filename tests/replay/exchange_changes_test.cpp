// Changes to exchanges and collectives: by hand, and on random recordings, where the naive engine comes to the same
// end.

#include <cmath>
#include <cstdlib>

#include "../native/check.hpp"
#include "random_trees.hpp"
#include "replay/changes/change.hpp"
#include "replayed_tree.hpp"

namespace {

using namespace leadline::test;

// Three steps, in each of which two fields are exchanged with both neighbours of a ring; 8 and 16 bytes a message.
Tree two_fields(uint32_t ranks, bool from_any_loop = false) {
  TreeBuilder b(ranks, Classes::one);
  b.loop(0, main_loop_number, 3);
  for (uint32_t field = 0; field < 2; ++field) {
    if (from_any_loop) b.loop(0, 20 + field, 1);
    b.compute(0, 100);
    const int64_t bytes = 8 * (1 + field);
    const uint32_t site = 10 + 10 * field;
    const uint64_t a = b.ireceive(0, -1, 1, bytes, site), c = b.ireceive(0, 1, 2, bytes, site + 1);
    const uint64_t d = b.isend(0, 1, 1, bytes, site + 2), e = b.isend(0, -1, 2, bytes, site + 3);
    b.wait(0, {a, c, d, e}, site + 4);
    if (from_any_loop) b.end(0);
  }
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void exchanges_become_the_last_one() {
  for (const bool loops : {false, true}) {
    Tree tree = two_fields(4, loops);
    Made made;
    testing::check_equal(merge({{}, {10, 11, 12, 13, 14, 20, 21, 22, 23, 24}}, &tree, &made), "", "merge");
    testing::check_equal(made.messages_before, uint64_t{4 * 3 * 4}, "messages before");
    testing::check_equal(made.messages_after, uint64_t{4 * 3 * 2}, "messages after");
    testing::check_equal(made.calls_before, uint64_t{4 * 3 * 10}, "calls before");
    testing::check_equal(made.calls_after, uint64_t{4 * 3 * 5}, "calls after");
    testing::check_equal(computation(tree), 4 * 3 * 200.0, "all computation");
    int64_t out = 0, in = 0;
    for (const TreeLeaf& l : tree.classes[0].leaves) {
      if (l.stands_for != 2) continue;
      for (const auto& part : l.leaf.parts) out += part.of(2).out_bytes, in += part.of(2).in_bytes;
    }
    testing::check_equal(out, int64_t{4 * 24}, "bytes of two sends and of the waits for them");
    testing::check_equal(in, int64_t{4 * 24}, "bytes of two receives and of the waits for them");
    const Replayed free = replayed(tree, "merged", false), dear = replayed(tree, "merged, copied", false, 1);
    replayed(tree, "merged, in a network", true, 1);
    testing::check_equal(free.messages, uint64_t{4 * 3 * 2}, "messages");
    testing::check_equal(dear.end_ps - free.end_ps, int64_t{3 * 4 * 24 * 1000}, "copies at both ends");
  }
}

void other_partners_stay_apart() {
  Tree tree = two_fields(4);
  Made made;
  testing::check_equal(merge({{}, {10, 11, 12, 13, 14}}, &tree, &made),
                       "no exchanges with the same partners and no collectives of one kind follow one another there, "
                       "without computation between",
                       "one exchange only");
  // Two fields by one call to either side: in each direction both become one.
  TreeBuilder b(4, Classes::one);
  for (uint32_t field = 0; field < 2; ++field) {
    b.send_and_receive(0, 1, -1, 3, 100, 10 + 2 * field);
    b.send_and_receive(0, -1, 1, 4, 100, 11 + 2 * field);
  }
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  made = {};
  testing::check_equal(merge({{}, {10, 11, 12, 13}}, &b.tree, &made), "", "merge two directions");
  testing::check_equal(made.calls_after, uint64_t{8}, "two calls on each of four ranks");
  testing::check_equal(replayed(b.tree, "two directions", true).messages, uint64_t{8}, "messages of two directions");
}

void computation_divides() {
  for (const float ns : {15e3F, 30e3F}) {
    TreeBuilder b(2, Classes::one);
    for (uint32_t i = 0; i < 2; ++i) {
      b.compute(0, ns);
      b.send_and_receive(0, 1, -1, 3, 100, 10 + i);
    }
    std::mt19937_64 random(1);
    b.finish(&random, 0);
    Made made;
    testing::check_equal(merge({{}, {10, 11}}, &b.tree, &made).empty(), ns < 20e3, "packing data, or computation");
  }
}

void iterations_of_a_loop_stay_apart() {
  TreeBuilder b(2, Classes::one);
  b.loop(0, main_loop_number, 4);
  b.send_and_receive(0, 1, -1, 3, 100, 10);
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  Made made;
  testing::check(!merge({{}, {10}}, &b.tree, &made).empty(), "steps are not merged");
}

void reductions_carry_the_bytes_of_all() {
  TreeBuilder b(4, Classes::one);
  b.loop(0, main_loop_number, 3);
  for (uint32_t i = 0; i < 3; ++i) {
    b.compute(0, 50);
    b.collective(0, "MPI_Allreduce", 8 * (i + 1), 10 + i);
  }
  b.collective(0, "MPI_Barrier", 0, 13);
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  Made made;
  testing::check_equal(merge({{}, {10, 11, 12, 13}}, &b.tree, &made), "", "merge reductions");
  testing::check_equal(made.calls_before, uint64_t{4 * 3 * 3}, "reductions before");
  testing::check_equal(made.calls_after, uint64_t{4 * 3}, "reductions after");
  const auto& leaves = b.tree.classes[0].leaves;
  const auto kept = std::find_if(leaves.begin(), leaves.end(), [](const TreeLeaf& l) { return l.stands_for == 3; });
  testing::check(kept != leaves.end(), "one stands for three");
  testing::check_equal(kept->leaf.posted_bytes.of(1), int64_t{48}, "bytes of all three");
  // Recursive doubling: two messages of each rank for each of the reductions. The same for each barrier.
  testing::check_equal(replayed(b.tree, "reductions", true).messages, uint64_t{4 * 3 * (2 + 2)}, "messages");
}

// Three exchanges and a reduction, of whose last `common` calls there is one sequence.
Tree exchanges_before_a_reduction(size_t common) {
  TreeBuilder b(4, Classes::one);
  b.loop(0, main_loop_number, 3);
  b.compute(0, 50000);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint64_t in = b.ireceive(0, -1, 1, 100, 10 + 3 * i);
    b.compute(0, 0);
    const uint64_t out = b.isend(0, 1, 1, 100, 11 + 3 * i);
    b.wait(0, {in, out}, 12 + 3 * i);
  }
  b.collective(0, "MPI_Allreduce", 8, 20);
  if (common) b.in_common(0, common);
  if (common > 4) b.in_common(0, 1);
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void sequences_that_calls_have_in_common_do_not_cut_a_row() {
  int64_t end_ps = 0;
  for (size_t common = 0; common <= 10; ++common) {
    Tree tree = exchanges_before_a_reduction(common);
    const Replayed before = replayed(tree, "before", true);
    Made made;
    const std::vector<uint32_t> sites{10, 11, 12, 13, 14, 15, 16, 17, 18};
    testing::check_equal(merge({{}, sites}, &tree, &made), "", "merged");
    testing::check_equal(made.messages_before, uint64_t{4 * 3 * 3}, "messages before");
    testing::check_equal(made.messages_after, uint64_t{4 * 3}, "messages after");
    const Replayed after = replayed(tree, "after", true);
    testing::check_equal(before.messages - after.messages, uint64_t{4 * 3 * 2}, "messages");
    if (!common) end_ps = after.end_ps;
    testing::check_equal(after.end_ps, end_ps, "whatever is a sequence");
  }
}

void ranks_that_would_merge_differently_are_refused() {
  TreeBuilder b(2, Classes::by_parity);
  for (size_t c = 0; c < 2; ++c) {
    for (uint32_t i = 0; i < 2; ++i) {
      b.collective(c, "MPI_Allreduce", 8, 10 + i + static_cast<uint32_t>(10 * c));
    }
  }
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  Made made;
  const Refusal why = merge({{}, {10, 11}}, &b.tree, &made);
  testing::check(why.find("all ranks must be changed alike") != std::string::npos, "refused: " + why);
}

// Both ranks send, then receive, and compute before and after: two latencies each, since the second rank receives
// first.
Tree shift(float after_ns, int64_t bytes) {
  TreeBuilder b(2, Classes::by_parity);
  for (size_t c = 0; c < 2; ++c) {
    b.loop(c, main_loop_number, 3);
    b.compute(c, 30000);
    if (c) b.receive(c, -1, 1, bytes, 11);
    b.send(c, c ? -1 : 1, c ? 2 : 1, bytes, 10);
    if (!c) b.receive(c, 1, 2, bytes, 11);
    b.local(c, 12);
    b.compute(c, after_ns);
    b.collective(c, "MPI_Barrier", 0, 13);
    b.end(c);
  }
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void blocking_calls_become_nonblocking() {
  Tree tree = shift(0, 100);
  const int64_t before = replayed(tree, "blocking", false).end_ps;
  Made made;
  testing::check_equal(nonblocking({{}, {10, 11}}, &tree, &made), "", "nonblocking");
  testing::check_equal(made.calls_before, uint64_t{2 * 3 * 2}, "calls before");
  testing::check_equal(made.calls_after, uint64_t{2 * 3 * 3}, "and their wait");
  testing::check_equal(made.messages_after, made.messages_before, "as many messages");
  // Of 200 ns each, one latency in each step is gone.
  const Replayed after = replayed(tree, "nonblocking", false);
  testing::check_equal(before - after.end_ps >= 3 * 200 * 1000, true, "a latency in each step");
  testing::check_equal(computation(tree), 2 * 3 * 30000.0, "all computation");
  Tree other = shift(0, 100);
  testing::check_equal(nonblocking({{}, {13}}, &other, &made),
                       "no exchange there has blocking calls, or they receive from any rank", "no messages");
}

// Irecv, Send, Wait: the wait at the end then waits for both.
void the_last_wait_waits_for_all() {
  TreeBuilder b(2, Classes::one);
  const uint64_t early = b.ireceive(0, 1, 7, 100, 14);
  const uint64_t r = b.ireceive(0, 1, 1, 100, 10);
  b.send(0, 1, 1, 100, 11);
  b.wait(0, {r}, 12);
  b.isend(0, 1, 7, 100, 15);
  b.wait(0, {early, early + 2}, 13);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  Made made;
  testing::check_equal(nonblocking({{}, {10, 11, 12}}, &b.tree, &made), "", "nonblocking");
  const auto& leaves = b.tree.classes[0].leaves;
  testing::check_equal(leaves.back().leaf.call.parts.size(), size_t{2}, "parts of the wait");
  testing::check_equal(leaves.back().leaf.call.parts[0].maker.age, uint64_t{2}, "the receive");
  testing::check_equal(leaves.back().leaf.call.parts[1].maker.age, uint64_t{1}, "the send");
  testing::check_equal(leaves[5].leaf.call.parts[0].maker.age, uint64_t{4}, "what was posted before is one older");
  replayed(b.tree, "receive, send, wait", true);
}

void computation_hides_messages() {
  for (const int64_t bytes : {int64_t{100}, int64_t{100000}}) {
    Tree none = shift(50000, bytes), all = none, half = none;
    Made made;
    for (const auto& [tree, part] : {std::pair{&none, 0.0}, std::pair{&half, 0.5}, std::pair{&all, 1.0}})
      testing::check_equal(overlap({{}, {10, 11}}, part, tree, &made), "", "overlap");
    for (const Tree* tree : {&none, &half, &all})
      testing::check_equal(computation(*tree), 2 * 3 * 80000.0, "all computation");
    // The computation is longer than the message takes. A long one that nobody answers meanwhile comes as late.
    const int64_t slow = replayed(none, "not overlapped", true).end_ps, fast = replayed(all, "overlapped", true).end_ps;
    const int64_t message_ps = (700 + 20 + bytes / 2) * 1000;
    if (bytes < 2000) {
      testing::check_equal(slow - fast >= 3 * message_ps, true, "hidden: " + std::to_string(slow - fast));
    } else {
      testing::check(slow - fast < message_ps, "a long message is not hidden: " + std::to_string(slow - fast));
      testing::check(slow - replayed(all, "progress", true, 0, true).end_ps > 3 * message_ps * 9 / 10,
                     "unless it moves");
    }
    replayed(half, "half", false);
  }
}

// All others send to the first rank, which computes between its receives; blocks of the same size, or not.
Tree collected(uint32_t ranks, bool alike, bool loop) {
  TreeBuilder b(ranks, Classes::first_alone);
  for (size_t c = 0; c < 2; ++c) b.loop(c, main_loop_number, 3);
  if (loop) b.loop(0, 20, 1);
  for (uint32_t other = 1; other < ranks; ++other) {
    b.compute(0, 30000);
    b.receive(0, static_cast<int32_t>(other), 9, alike ? 400 : 400 + 8 * (other - 1), 10 + other);
  }
  if (loop) b.end(0);
  b.compute(1, 1000);
  b.send_to_first(1, 9, 400, 10, alike ? 0 : 8);
  for (size_t c = 0; c < 2; ++c) b.collective(c, "MPI_Barrier", 0, 9), b.end(c);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void messages_to_one_rank_become_a_gather() {
  for (const bool alike : {true, false}) {
    Tree tree = collected(8, alike, alike);
    Made made;
    testing::check_equal(gather({{}, {10, 11, 12, 13, 14, 15, 16, 17}}, &tree, &made), "", "gather");
    testing::check_equal(made.messages_before, uint64_t{7 * 3}, "messages before");
    testing::check_equal(made.messages_after, uint64_t{0}, "messages after");
    testing::check_equal(made.calls_before, uint64_t{2 * 7 * 3}, "sends and receives");
    testing::check_equal(made.calls_after, uint64_t{8 * 3}, "gathers");
    testing::check_equal(computation(tree), 3 * 7 * 31000.0, "all computation");
    int64_t gathered = 0;
    for (const TreeLeaf& l : tree.classes[0].leaves)
      if (l.gathers) gathered += l.leaf.parts.front().of(0).in_bytes;
    testing::check_equal(gathered, int64_t{alike ? 7 * 400 : 7 * 400 + 8 * 21}, "bytes that arrive");
    // Of equal blocks by a binomial tree, of others by a formula, which sends nothing; and those of three barriers.
    testing::check_equal(replayed(tree, "gathered", true).messages, static_cast<uint64_t>((alike ? 21 : 0) + 3 * 8 * 3),
                         "messages of the tree");
    testing::check_equal(replayed(tree, "gathered, as recorded", false).messages, uint64_t{0}, "without a network");
  }
}

void what_is_no_gather_is_refused() {
  const auto refused = [](Tree tree, const std::vector<uint32_t>& sites, const char* why) {
    Made made;
    const Refusal said = gather({{}, sites}, &tree, &made);
    testing::check(said.find(why) != std::string::npos, "refused: " + said + ", not " + why);
  };
  refused(collected(4, true, true), {10, 11, 12}, "receives in a row from 2 of the 3 other ranks");
  refused(collected(4, true, true), {11, 12, 13}, "both sides must be changed alike");
  refused(collected(4, true, true), {9}, "no messages from all ranks to one");
  refused(shift(0, 100), {10}, "both sides must be changed alike");
}

// In each of three steps the first rank sends to all others, which then compute.
Tree distributed(uint32_t ranks, bool alike) {
  TreeBuilder b(ranks, Classes::first_alone);
  for (size_t c = 0; c < 2; ++c) b.loop(c, main_loop_number, 3);
  for (uint32_t other = 1; other < ranks; ++other)
    b.send(0, static_cast<int32_t>(other), 9, alike ? 400 : 400 + 8 * (other - 1), 10 + other);
  b.receive_from_first(1, 9, 400, 10, alike ? 0 : 8);
  b.compute(1, 30000);
  for (size_t c = 0; c < 2; ++c) b.collective(c, "MPI_Barrier", 0, 9), b.end(c);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void messages_from_one_rank_become_a_broadcast() {
  const std::vector<uint32_t> sites = {10, 11, 12, 13, 14, 15, 16, 17};
  for (const bool alike : {true, false}) {
    Tree tree = distributed(8, alike);
    Made made;
    testing::check_equal(distribute({{}, sites}, &tree, &made), "", "distribute");
    testing::check_equal(made.messages_before, uint64_t{7 * 3}, "messages before");
    testing::check_equal(made.messages_after, uint64_t{0}, "messages after");
    testing::check_equal(made.calls_after, uint64_t{8 * 3}, "broadcasts");
    int64_t sent = 0, received = 0;
    for (const TreeClass& of : tree.classes) {
      for (const TreeLeaf& l : of.leaves) {
        if (!l.gathers) continue;
        testing::check_equal(l.leaf.function, std::string(alike ? "MPI_Bcast" : "MPI_Scatterv"), "its name");
        for (size_t m = 0; m < l.leaf.times.size(); ++m) {
          sent += l.leaf.parts.front().of(m).out_bytes;
          received += l.leaf.parts.front().of(m).in_bytes;
        }
      }
    }
    testing::check_equal(sent, static_cast<int64_t>(alike ? 400 : 7 * 400 + 8 * 21), "bytes that the first rank has");
    testing::check_equal(received, static_cast<int64_t>(alike ? 7 * 400 : 7 * 400 + 8 * 21), "bytes that arrive");
    testing::check_equal(replayed(tree, "distributed", true).messages,
                         static_cast<uint64_t>((alike ? 21 : 0) + 3 * 8 * 3), "messages of the tree and the barriers");
    testing::check_equal(replayed(tree, "distributed, as recorded", false).messages, uint64_t{0}, "without a network");
  }
  Tree tree = distributed(4, true);
  Made made;
  testing::check(!distribute({{}, {10, 11, 12}}, &tree, &made).empty(), "one send is left out");
  Tree other = distributed(4, true);
  testing::check_equal(gather({{}, sites}, &other, &made),
                       "rank 1 receives in a row from 1 of the 3 other ranks of the communicator", "no gather");
}

// In each of three steps each rank sends to all others of the ring, and perhaps to itself.
Tree transposed(uint32_t ranks, bool to_itself) {
  TreeBuilder b(ranks, Classes::one);
  b.loop(0, main_loop_number, 3);
  std::vector<uint64_t> requests;
  for (uint32_t away = to_itself ? 0 : 1; away < ranks; ++away) {
    requests.push_back(b.ireceive(0, -static_cast<int32_t>(away), 9, 80, 10));
    requests.push_back(b.isend(0, static_cast<int32_t>(away), 9, 80, 11));
  }
  b.wait(0, requests, 12);
  b.compute(0, 30000);
  b.collective(0, "MPI_Barrier", 0, 9);
  b.end(0);
  std::mt19937_64 random(1);
  b.finish(&random, 0);
  return b.tree;
}

void messages_of_all_to_all_become_one_call() {
  for (const bool to_itself : {false, true}) {
    Tree tree = transposed(4, to_itself);
    Made made;
    testing::check_equal(exchange_all({{}, {10, 11, 12}}, &tree, &made), "", "exchange");
    testing::check_equal(made.messages_before, static_cast<uint64_t>(to_itself ? 48 : 36), "messages before");
    testing::check_equal(made.messages_after, uint64_t{0}, "messages after");
    testing::check_equal(made.calls_after, uint64_t{4 * 3}, "calls, without waits");
    testing::check_equal(replayed(tree, "all to all", false).messages, uint64_t{0}, "messages that are replayed");
    testing::check_equal(replayed(tree, "all to all", true).messages > 0, true, "those of an algorithm, in a network");
  }
  Tree tree = transposed(4, false);
  Made made;
  testing::check_equal(exchange_all({{}, {10, 12}}, &tree, &made),
                       "rank 0 has in a row 1 of the 6 messages of an all-to-all", "without the sends");
}

// What is changed in random recordings comes to the same end in both engines, with no computation lost.
void random_recordings(uint64_t first, uint64_t count) {
  const char* names[] = {"merged",   "nonblocking", "overlapped", "half overlapped",
                         "gathered", "relaxed",     "files",      "distributed"};
  constexpr size_t changes = sizeof names / sizeof *names;
  uint64_t changed[changes] = {};
  for (uint64_t seed = first; seed < first + count; ++seed) {
    RandomTree random(seed);
    const bool network = seed % 2;
    const std::string name = "recording " + std::to_string(seed);
    const Replayed before = replayed(random.tree(), name, network);
    Tree together = random.tree();
    for (size_t i = 0; i < changes; ++i) {
      Tree tree = random.tree();
      const Selection at{{},
                         i == 4     ? random.collected()
                         : i == 7   ? random.distributed()
                         : seed % 3 ? random.all_sites()
                                    : random.some_sites()};
      const auto change = [&](Tree* of, Made* made) {
        if (i == 0) return merge(at, of, made);
        if (i == 1) return nonblocking(at, of, made);
        if (i == 4) return gather(at, of, made);
        if (i == 5) return relax_sends(at, of, made);
        if (i == 7) return distribute(at, of, made);
        if (i == 6) return scale_files(at, seed % 7 * 0.5, of, made);
        return overlap(at, i == 2 ? 1 : 0.5, of, made);
      };
      Made made;
      if (!change(&tree, &made).empty()) continue;
      ++changed[i];
      const std::string what = name + ", " + names[i];
      const Replayed after = replayed(tree, what, network, 0.1, seed % 5 == 0);
      testing::check(std::abs(computation(tree) - computation(random.tree())) < 1, what + ": all computation");
      if (!network) {
        testing::check_equal(before.messages - after.messages, made.messages_before - made.messages_after,
                             what + ": messages that are not sent");
      }
      Tree more = together;
      if (change(&more, &made).empty()) together = more;
    }
    replayed(together, name + ", all together", network, 0.1);
  }
  for (size_t i = 0; i < 4; ++i) testing::check(changed[i] * 4 > count, std::string("a quarter at least: ") + names[i]);
}

}  // namespace

int main(int argc, char** argv) {
  exchanges_become_the_last_one();
  other_partners_stay_apart();
  computation_divides();
  iterations_of_a_loop_stay_apart();
  reductions_carry_the_bytes_of_all();
  sequences_that_calls_have_in_common_do_not_cut_a_row();
  ranks_that_would_merge_differently_are_refused();
  blocking_calls_become_nonblocking();
  the_last_wait_waits_for_all();
  computation_hides_messages();
  messages_to_one_rank_become_a_gather();
  what_is_no_gather_is_refused();
  messages_from_one_rank_become_a_broadcast();
  messages_of_all_to_all_become_one_call();
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  random_recordings(first, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 500);
  return testing::result();
}
