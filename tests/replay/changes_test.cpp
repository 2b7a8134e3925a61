// Changes to a recorded program, on trees made by hand: two ranks that exchange four fields in each of three steps.

#include "replay/changes/change.hpp"

#include <cmath>
#include <initializer_list>
#include <numeric>

#include "../native/check.hpp"
#include "naive_engine.hpp"
#include "replay/replay.hpp"
#include "replay/translation.hpp"

namespace {

using namespace leadline::replay;
using leadline::calls::Leaf;
using leadline::calls::LeafPart;
using leadline::structure::CallPart;
using leadline::trace::CallClass;
using leadline::trace::RequestUse;
namespace moves = leadline::trace::moves;

constexpr uint32_t fields = 4, steps = 3, field_loop = 7, main_loop = 5, ranks = 2;
constexpr int64_t bytes = 1000;

Leaf leaf_of(CallClass cls, const char* function, uint32_t site) {
  Leaf leaf;
  leaf.site = site;
  leaf.function = function;
  leaf.call.cls = cls;
  for (uint32_t i = 0; i < ranks; ++i) {
    leaf.posted_bytes.add(bytes);
    leaf.times.add({fields * steps, 0, 10, 1, 0, 5, 20, 0});
    leaf.identity.add(1);
  }
  return leaf;
}

void add_part(Leaf* leaf, const CallPart& part) {
  leaf->call.parts.push_back(part);
  leaf->makers.push_back(0);
  leaf->modes.push_back(leadline::trace::SendMode::standard);
  auto& column = leaf->parts.emplace_back();
  for (int32_t i = 0; i < static_cast<int32_t>(ranks); ++i) {
    LeafPart mine;
    mine.identity = 1;
    mine.partner = {{1 - 2 * i, 1 - i, 1 - i}};
    mine.tag = 3;
    mine.posted_bytes = bytes;
    (part.sends() ? mine.out_bytes : mine.in_bytes) = bytes;
    column.add(mine);
  }
}

Leaf message(bool sends) {
  Leaf leaf = sends ? leaf_of(CallClass::isend, "MPI_Isend", 11) : leaf_of(CallClass::irecv, "MPI_Irecv", 10);
  CallPart part;
  part.moves = sends ? moves::sends : moves::receives;
  part.request = RequestUse::makes;
  add_part(&leaf, part);
  return leaf;
}

Leaf wait_for(std::initializer_list<uint64_t> ages) {
  Leaf leaf = leaf_of(CallClass::waitall, "MPI_Waitall", 12);
  for (const uint64_t age : ages) {
    CallPart part;
    part.request = RequestUse::completes;
    part.maker.age = age;
    add_part(&leaf, part);
  }
  return leaf;
}

// Leaves: 0 receive, 1 send, 2 wait, 3 local call. In each step the fields' loop, then the local call; the wait is in
// that loop or after it.
Tree tree_of(const Leaf& wait, bool inside) {
  Tree tree;
  tree.main_loop = main_loop;
  TreeClass& c = tree.classes.emplace_back();
  for (const Leaf& leaf : {message(false), message(true), wait, leaf_of(CallClass::local, "MPI_Wtime", 13)}) {
    const auto number = static_cast<uint32_t>(c.leaves.size());
    c.leaves.push_back({leaf, number, 1, number});
  }
  RecordedShape& s = c.shape;
  s.shape.calls = RecordedShape::call_of(4);
  const auto body = [&](std::vector<Element> elements, uint32_t loop, bool is_iteration) {
    s.shape.bodies.push_back(std::move(elements));
    s.loop_of.push_back(loop);
    s.is_iteration.push_back(is_iteration);
    return static_cast<uint32_t>(s.shape.bodies.size() - 1);
  };
  const auto call = [](uint32_t leaf) { return Element{RecordedShape::call_of(leaf), false, 1}; };
  std::vector<Element> exchange{call(0), call(1)};
  if (inside) exchange.push_back(call(2));
  const uint32_t field = body(exchange, 0, true);
  const uint32_t all_fields = body({{field, true, fields}}, field_loop, false);
  std::vector<Element> own{{all_fields, true, 1}};
  if (!inside) own.push_back(call(2));
  own.push_back(call(3));
  const uint32_t step = body(own, 0, true);
  s.main_body = body({{step, true, steps}}, main_loop, false);
  s.shape.root = body({{0, false, 1}, {s.main_body, true, 1}, {1, false, 1}}, 0, false);
  s.recount();
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    TreeMember& member = tree.members.emplace_back();
    member.number = rank;
    for (size_t l = 0; l < 4; ++l) {
      std::vector<float>& ns = member.before_ns.emplace_back(s.before[l] + s.inside[l]);
      std::iota(ns.begin(), ns.end(), static_cast<float>(100 * l + 1));
      member.during_ns.emplace_back(ns.size(), 10.0F);
    }
  }
  return tree;
}

double sum(const std::vector<std::vector<float>>& all) {
  double found = 0;
  for (const auto& ns : all) found = std::accumulate(ns.begin(), ns.end(), found);
  return found;
}

// The changed program, in a network and in the recorded one: the naive engine comes to the same end, with as many
// messages. Returns the end in the network.
int64_t replayed(const Tree& tree, uint64_t messages, const std::string& what, double copy_ns = 0) {
  using leadline::network::Network;
  const Recorded recorded(main_loop, std::vector<RecordedTimes>(ranks));
  const Network network =
      Network::uniform({.latency_ns = 700, .overhead_ns = 30, .gap_ns = 20, .per_byte_ns = 0.5}, 2000);
  int64_t end = 0;
  for (const Network* used : {static_cast<const Network*>(nullptr), &network}) {
    Settings settings;
    settings.network = used;
    settings.latency_ns = 200;
    settings.eager_bytes = 2000;
    settings.copies = Copies::uniform(copy_ns);
    Differences differences;
    const Program program = program_of(recorded, tree, settings, &differences);
    const naive::Result expected = naive::Engine(program).run();
    const Outcome found = replay(program);
    testing::check_equal(expected.ended && found.stuck.empty(), true, what + ": it ends");
    testing::check_equal(expected.messages, messages, what + ": messages");
    testing::check_equal(found.messages, messages, what + ": messages of the engine");
    for (size_t i = 0; i < ranks; ++i) testing::check_equal(found.end_ps[i], expected.end_ps[i], what + ": end");
    end = found.whole_ps();
  }
  return end;
}

void fields_become_one_message() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  const double before = sum(tree.members[0].before_ns);
  Made made;
  testing::check_equal(pack({{field_loop}, {}}, 0, &tree, &made), "", "pack");
  testing::check_equal(made.messages_before, uint64_t{ranks * steps * fields}, "messages before");
  testing::check_equal(made.messages_after, uint64_t{ranks * steps}, "messages after");
  testing::check_equal(made.calls_before, uint64_t{3 * ranks * steps * fields}, "calls before");
  testing::check_equal(made.calls_after, uint64_t{3 * ranks * steps}, "calls after");
  const TreeClass& c = tree.classes[0];
  testing::check_equal(c.leaves.size(), size_t{7}, "leaves");
  testing::check_equal(c.leaves[5].leaf.parts[0].of(1).out_bytes, fields * bytes, "bytes of a packed message");
  testing::check_equal(c.leaves[5].stands_for, fields, "messages in one");
  testing::check_equal(c.shape.calls, uint64_t{steps * 4}, "calls in the main loop");
  testing::check_equal(tree.members[0].before_ns[4].size(), size_t{steps}, "times of the packed receive");
  testing::check_equal(tree.members[0].before_ns[4][1], 5.0F + 6 + 7 + 8, "computation before it in the second step");
  testing::check_equal(sum(tree.members[0].before_ns), before, "all computation");
  testing::check_equal(tree.members[0].before_ns[3].size(), size_t{steps}, "the call outside is as it was");
  const int64_t copied = replayed(tree, ranks * steps, "packed, with copies", 1);
  testing::check_equal(copied - replayed(tree, ranks * steps, "packed"), steps * fields * bytes * 1000, "copies");
}

void some_fields_become_one_message() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  Made made;
  testing::check_equal(pack({{}, {11}}, 3, &tree, &made), "", "pack three at the site of the send");
  testing::check_equal(made.messages_before, uint64_t{ranks * steps * 3}, "the fourth is alone");
  testing::check_equal(made.messages_after, uint64_t{ranks * steps}, "messages after");
  testing::check_equal(tree.members[1].before_ns[0].size(), size_t{steps}, "one of four is as it was");
  testing::check_equal(tree.members[1].before_ns[0][1], 8.0F, "the fourth of the second step");
  replayed(tree, ranks * steps * 2, "three of four packed");
}

void a_wait_after_the_loop_waits_for_what_is_left() {
  Tree tree = tree_of(wait_for({8, 7, 6, 5, 4, 3, 2, 1}), false);
  Made made;
  testing::check_equal(pack({{field_loop}, {}}, 0, &tree, &made), "", "pack");
  const Leaf& wait = tree.classes[0].leaves[2].leaf;
  testing::check_equal(wait.call.parts.size(), size_t{2}, "requests");
  testing::check_equal(wait.call.parts[0].maker.age, uint64_t{2}, "the receive");
  testing::check_equal(wait.call.parts[1].maker.age, uint64_t{1}, "the send");
  replayed(tree, ranks * steps, "packed, with a wait after the loop");
}

void what_cannot_be_packed_is_refused() {
  const auto refused = [](Tree tree, const Selection& at, const char* why) {
    Made made;
    const Refusal said = pack(at, 0, &tree, &made);
    testing::check(said.find(why) != std::string::npos, "refused: " + said + ", not " + why);
  };
  refused(tree_of(wait_for({4, 3}), true), {{field_loop}, {}}, "stay open from one iteration to the next");
  refused(tree_of(wait_for({2, 1}), true), {{main_loop}, {}}, "main loop");
  refused(tree_of(wait_for({2, 1}), true), {{99}, {99}}, "no loop there");
  // The other rank makes its exchanges in another loop.
  Tree tree = tree_of(wait_for({2, 1}), true);
  tree.classes.push_back(tree.classes[0]);
  for (uint32_t& loop : tree.classes[1].shape.loop_of) loop = loop == field_loop ? 8 : loop;
  tree.members[1].of_class = 1;
  refused(tree, {{field_loop}, {}}, "both sides must be changed alike, in the same order");
}

void computation_is_spread_evenly() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  for (auto& ns : tree.members[1].before_ns)
    for (float& each : ns) each *= 3;
  const double all = sum(tree.members[0].before_ns) + sum(tree.members[1].before_ns);
  Made made;
  testing::check_equal(balance(true, &tree, &made), "", "balance");
  for (const TreeMember& m : tree.members) {
    testing::check(std::abs(sum(m.before_ns) - all / 2) < all * 1e-6, "half of all computation");
  }
  replayed(tree, ranks * steps * fields, "balanced");
}

void computation_is_spread_over_all_iterations() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  for (auto& ns : tree.members[1].before_ns)
    for (float& each : ns) each *= 3;
  const float slow = tree.members[1].before_ns[0][3];
  const double all = sum(tree.members[0].before_ns) + sum(tree.members[1].before_ns);
  Made made;
  testing::check_equal(balance(false, &tree, &made), "", "balance");
  for (const TreeMember& m : tree.members) {
    testing::check(std::abs(sum(m.before_ns) - all / 2) < all * 1e-6, "half of all computation");
  }
  testing::check(std::abs(tree.members[1].before_ns[0][3] - slow * 2 / 3) < 1e-3, "each time by the same factor");
}

void calls_that_others_count_on_stay() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  Made made;
  testing::check_equal(remove_calls({{}, {13}}, &tree, &made), "", "a local call");
  testing::check(tree.classes[0].leaves[3].removed && !tree.classes[0].leaves[0].removed, "only that");
  testing::check_equal(made.calls_before, uint64_t{ranks * steps}, "calls removed");
  testing::check_equal(remove_calls({{}, {11}}, &tree, &made),
                       "MPI_Isend is neither a blocking collective nor a blocking message", "a message");
  testing::check_equal(remove_calls({{}, {99}}, &tree, &made), "the program makes no call there", "nothing");
  replayed(tree, ranks * steps * fields, "without a call");
}

void noise_and_single_routines() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  std::vector<float>& ns = tree.members[0].before_ns[0];  // 1 to 12: four in each step
  ns[5] = 1000;
  Made made;
  testing::check_equal(without_noise(&tree, &made), "", "noise");
  for (uint32_t i = 0; i < fields * steps; ++i) {
    // Of the second field's 2, 1000 and 10 it is 10.
    testing::check_equal(ns[i], i % fields == 1 ? 10.0F : 5.0F + static_cast<float>(i % fields), "median");
  }
  testing::check_equal(computation({{}, {10}}, 0.5, &tree, &made), "", "computation");
  testing::check_equal(ns[0], 2.5F, "half of it");
  testing::check_equal(tree.members[0].before_ns[1][0], 105.0F, "of another site");
  testing::check(!computation({{}, {99}}, 0.5, &tree, &made).empty(), "no such site");
  replayed(tree, ranks * steps * fields, "without noise");
}

void several_changes_together() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  Made made;
  testing::check_equal(computation({{}, {10}}, 0.5, &tree, &made), "", "computation");
  testing::check_equal(without_noise(&tree, &made), "", "noise");
  testing::check_equal(pack({{field_loop}, {}}, 2, &tree, &made), "", "pack");
  testing::check_equal(balance(true, &tree, &made), "", "balance");
  replayed(tree, ranks * steps * fields / 2, "all together");
}

void more_steps_repeat_the_changed_ones() {
  Tree tree = tree_of(wait_for({2, 1}), true);
  Made made;
  pack({{field_loop}, {}}, 0, &tree, &made);
  RecordedShape shape = tree.classes[0].shape;
  shape.resize(7);
  testing::check_equal(shape.iterations, uint64_t{steps}, "iterations of the recording");
  uint64_t sent = 0;
  shape.for_each_call([&](uint32_t leaf, uint64_t) { sent += leaf == 5; });
  testing::check_equal(sent, uint64_t{7}, "packed sends in seven steps");
}

}  // namespace

int main() {
  fields_become_one_message();
  some_fields_become_one_message();
  a_wait_after_the_loop_waits_for_what_is_left();
  what_cannot_be_packed_is_refused();
  computation_is_spread_evenly();
  computation_is_spread_over_all_iterations();
  noise_and_single_routines();
  calls_that_others_count_on_stay();
  several_changes_together();
  more_steps_repeat_the_changed_ones();
  return testing::result();
}
