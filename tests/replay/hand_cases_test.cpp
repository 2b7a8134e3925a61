// Cases that can be computed by hand: ping-pong, pipeline, many senders to one rank, handshakes with and without
// progress, a million steps, ranks that wait for each other.

#include <algorithm>

#include "../native/check.hpp"
#include "builder.hpp"
#include "replay/replay.hpp"

namespace {

using namespace leadline::test;

constexpr Way eager{.latency = 1000, .overhead = 100, .busy = 50};
constexpr int64_t message = 2 * 100 + 1000 + 50;

void ping_pong() {
  Builder b(2);
  for (uint32_t rank : {0U, 1U}) b.loop(rank, 1000000);
  b.send(0, 1, eager);
  b.receive(1, 0, eager);
  b.send(1, 0, eager);
  b.receive(0, 1, eager);
  for (uint32_t rank : {0U, 1U}) b.end(rank);
  const Outcome outcome = replay(b.program, {.sensitivities = true});
  testing::check_equal(outcome.end_ps[0], 2000000 * message, "ping-pong");
  testing::check_equal(outcome.share().latencies, 2000000, "ping-pong: latencies on the way");
  testing::check_equal(outcome.share().overheads, 4000000, "ping-pong: overheads on the way");
  testing::check_equal(outcome.messages, 2000000U, "ping-pong: messages");
  testing::check(outcome.replayed < 100, "ping-pong: steps are skipped");
}

// k segments through a chain: the first one's way, then the slowest stage for each other one.
void pipeline(int64_t k, uint32_t ranks, const Way& way) {
  Builder b(ranks);
  for (uint32_t i = 0; i < ranks; ++i) {
    b.loop(i, static_cast<uint64_t>(k));
    if (i) b.receive(i, i - 1, way);
    if (i + 1 < ranks) b.send(i, i + 1, way);
    b.end(i);
  }
  const int64_t fill = (ranks - 1) * (2 * way.overhead + way.latency + way.busy);
  const int64_t stage = std::max(2 * way.overhead, way.busy);
  testing::check_equal(replay(b.program).whole_ps(), fill + (k - 1) * stage, "pipeline of " + std::to_string(k));
}

// A cancelled receive takes no message from the receives after it, whichever of those posted it is.
void withdrawn() {
  for (const bool first : {true, false}) {
    Builder b(2);
    b.loop(1, 1000);
    b.withdraw(1, {b.irecv(1, 0, eager)});
    b.end(1);
    const uint64_t one = b.irecv(1, 0, eager), other = b.irecv(1, 0, eager);
    b.withdraw(1, {first ? one : other});
    b.send(1, 0, eager, 1);  // rank 0 sends when the others are cancelled
    b.receive(0, 1, eager, 1);
    b.send(0, 1, eager);
    b.wait(1, {first ? other : one});
    const Outcome outcome = replay(b.program);
    testing::check_equal(outcome.messages, 2U, "withdrawn: messages");
    testing::check_equal(outcome.end_ps[1], 2 * message, "withdrawn: when the message is there");
  }
}

// All messages pass the receiver's port one after another.
void incast(uint32_t senders, int64_t each) {
  Builder b(senders + 1);
  std::vector<uint64_t> requests;
  for (uint32_t i = 1; i <= senders; ++i) {
    b.loop(i, static_cast<uint64_t>(each));
    b.send(i, 0, {.latency = 1000, .overhead = 10, .busy = 50});
    b.end(i);
    for (int64_t n = 0; n < each; ++n) requests.push_back(b.irecv(0, i, {.latency = 1000, .overhead = 10, .busy = 50}));
  }
  b.wait(0, requests);
  testing::check_equal(replay(b.program).end_ps[0], 10 + 1000 + 50 * senders * each + 10, "incast");
}

// A receiving port does not keep messages waiting that came long before the one that the rank waits for first.
void early_messages() {
  constexpr Way way{.latency = 1000, .overhead = 10, .busy = 50};
  Builder b(4);
  b.compute(1, 100000);
  for (uint32_t i = 1; i < 4; ++i) {
    b.send(i, 0, way);
    b.receive(0, i, way);
  }
  testing::check_equal(replay(b.program).end_ps[0], 100000 + 10 + 1000 + 50 + 3 * 10, "early messages");
}

// A rank that waits for nobody does not run ahead for all of its iterations: the steady state is found.
void free_running() {
  constexpr Way way{.latency = 1000, .overhead = 10, .busy = 50, .port_busy = 200, .by_port = true};
  Builder b(2);
  for (uint32_t i : {0U, 1U}) b.loop(i, 1000000);
  b.compute(0, 300);
  b.send(0, 1, way);
  b.receive(1, 0, way);
  for (uint32_t i : {0U, 1U}) b.end(i);
  const Outcome outcome = replay(b.program);
  testing::check_equal(outcome.end_ps[1], 1000000 * (300 + 10) + 1000 + 200 + 10, "a rank that waits for nobody");
  testing::check(outcome.replayed < 100, "a rank that waits for nobody: steps are skipped");
}

// Two ranks of one node send to another node through a port that is slower than theirs.
void node_port() {
  Builder b(3);
  b.program.ranks[1].node = 0;
  const Way way{.latency = 1000, .overhead = 10, .busy = 50, .port_busy = 200, .by_port = true};
  for (uint32_t i : {0U, 1U})
    for (int n = 0; n < 10; ++n) b.send(i, 2, way);
  std::vector<uint64_t> requests;
  for (int n = 0; n < 10; ++n)
    for (uint32_t i : {0U, 1U}) requests.push_back(b.irecv(2, i, way));
  b.wait(2, requests);
  testing::check_equal(replay(b.program).end_ps[2], 10 + 20 * 200 + 1000 + 10, "a node's port");
}

// Two messages between other pairs of nodes share a link that is slower than their ports, and a third one does not. The
// first byte of each goes on at once; all of it is there when the slowest link is through with it.
void shared_link() {
  const Way way{
      .latency = 1000, .overhead = 10, .busy = 50, .port_busy = 60, .by_port = true, .link_busy = 200, .hop = 30};
  Builder b(6);
  for (uint32_t i : {0U, 1U, 2U}) {
    b.send(i, i + 3, way);
    b.receive(i + 3, i, way);
  }
  b.route(4, [](uint32_t from, uint32_t) -> std::vector<uint32_t> {
    if (from == 0) return {0, 1};
    return from == 1 ? std::vector<uint32_t>{2, 1} : std::vector<uint32_t>{3};
  });
  const Outcome outcome = replay(b.program);
  // At the shared link both come 10 + 30 after the start; rank 0's message is first.
  testing::check_equal(outcome.end_ps[3], 10 + 30 + 200 + 30 + 1000 + 10, "the first through the shared link");
  testing::check_equal(outcome.end_ps[4], 10 + 30 + 200 + 200 + 30 + 1000 + 10, "the second");
  testing::check_equal(outcome.end_ps[5], 10 + 200 + 30 + 1000 + 10, "one that has its own link");
}

// Without waiting, a route costs the hops and the slowest of its links, not their sum.
void long_route() {
  const Way way{.latency = 1000, .overhead = 10, .busy = 50, .by_port = true, .link_busy = 40, .hop = 30};
  Builder b(2);
  b.send(0, 1, way);
  b.receive(1, 0, way);
  b.route(5, [](uint32_t, uint32_t) -> std::vector<uint32_t> { return {4, 2, 0, 1, 3}; });
  testing::check_equal(replay(b.program).end_ps[1], 10 + 5 * 30 + 1000 + 50 + 10, "five links");
}

constexpr Way long_message{.latency = 1000, .overhead = 100, .busy = 50000, .eager = false};

// The knee: an eager send is over when its data are copied, a longer one when its receiver has taken it.
void knee() {
  for (const bool is_eager : {true, false}) {
    Way way = long_message;
    way.eager = is_eager;
    Builder b(2);
    b.send(0, 1, way);
    b.compute(1, 400000);
    b.receive(1, 0, way);
    const Outcome outcome = replay(b.program);
    testing::check_equal(outcome.end_ps[0], is_eager ? 100 : 400000 + 1000 + 50000, "the sender's end");
    const int64_t receiver = is_eager ? 400000 + 100 : 400000 + 2 * 1000 + 50000 + 100;
    testing::check_equal(outcome.end_ps[1], receiver, "the receiver's end");
  }
}

// A message in place is there at once, but its send ends when the receiver is in a call, whatever that is for.
void in_place() {
  constexpr Way way{.latency = 1000, .overhead = 10, .busy = 50, .in_place = true};
  for (const bool other_call : {false, true}) {
    Builder b(3);
    b.send(0, 1, way);
    b.compute(1, 200000);
    if (other_call) b.send(1, 2, eager);
    b.compute(1, 200000);
    b.receive(1, 0, way);
    if (other_call) b.receive(2, 1, eager);
    const Outcome outcome = replay(b.program);
    const int64_t called = other_call ? 200000 : 400000;
    testing::check_equal(outcome.end_ps[0], called + 1000, "in place: the sender's end");
    const int64_t receiver = 400000 + (other_call ? eager.overhead : 0) + 10;
    testing::check_equal(outcome.end_ps[1], receiver, "in place: the receiver's end");
  }
  // A receiver that waits takes it at once; one that has ended, too.
  for (const bool waits : {true, false}) {
    Builder b(2);
    b.send(0, 1, way);
    if (waits) b.receive(1, 0, way);
    const Outcome outcome = replay(b.program);
    testing::check_equal(outcome.end_ps[0], 10 + 1000 + 50 + 1000, "in place: there and back");
  }
}

// A long message that is to move while both ranks compute does so only if handshakes progress.
void overlap() {
  for (const bool progress : {false, true}) {
    Builder b(2);
    Way way = long_message;
    way.progresses = progress;
    const uint64_t sent = b.isend(0, 1, way), received = b.irecv(1, 0, way);
    for (uint32_t i : {0U, 1U}) b.compute(i, 300000);
    b.wait(0, {sent});
    b.wait(1, {received});
    // Without: asked at 1100, answered in the receiver's wait (300000), known 1000 later, when the sender waits, too.
    const int64_t leaves = progress ? 100 + 2 * 1000 : 300000 + 1000;
    const int64_t receiver = std::max<int64_t>(leaves + 1000 + 50000, 300000) + 100;
    testing::check_equal(replay(b.program).end_ps[1], receiver, progress ? "overlap" : "no overlap");
  }
}

void deadlocks() {
  Builder circle(4);
  for (uint32_t i = 0; i < 3; ++i) {
    circle.send(i, (i + 1) % 3, long_message);
    circle.receive(i, (i + 2) % 3, long_message);
  }
  circle.receive(3, 0, eager, 7);
  const std::vector<Stuck> stuck = replay(circle.program).stuck;
  testing::check_equal(stuck.size(), 3U, "ranks in the circle");
  for (uint32_t i = 0; i < stuck.size(); ++i) {
    testing::check_equal(stuck[i].rank, i, "rank in the circle");
    testing::check_equal(stuck[i].other, (i + 1) % 3, "it waits for");
    testing::check(stuck[i].on == Stuck::On::receive_of, "it waits for a receive");
  }
  Builder ended(2);
  ended.receive(1, 0, eager);
  const std::vector<Stuck> alone = replay(ended.program).stuck;
  testing::check_equal(alone.size(), 1U, "a rank waits for one that has ended");
  Builder meeting(3);
  meeting.program.groups = {{0, 1, 2}};
  for (uint32_t i : {0U, 2U}) meeting.wait(i, {meeting.meet(i, 0, Action::Meeting::all, 0, 10)});
  const std::vector<Stuck> missing = replay(meeting.program).stuck;
  testing::check_equal(missing.size(), 1U, "ranks that wait in a collective");
  testing::check(!missing.empty() && missing[0].on == Stuck::On::collective && missing[0].other == 1,
                 "rank 1 has not reached the collective");
}

// A call before a loop of three recorded iterations, which becomes one of fifty: the first iteration's time is that of
// no other one.
void first_iteration() {
  for (const uint64_t seed : {0U, 1U, 2U, 3U}) {
    const Series series{
        .ps = {7, 10, 1, 2}, .before = 1, .per_iteration = 1, .recorded = 3, .wanted = 50, .seed = seed};
    testing::check_equal(place_in(series, 0), 0U, "the call before the loop");
    testing::check_equal(place_in(series, 1), 1U, "the first iteration stays the first");
    bool second = false, third = false;
    for (uint64_t call = 2; call <= 50; ++call) {
      const size_t place = place_in(series, call);
      second = second || place == 2;
      third = third || place == 3;
      testing::check(place > 1, "a later iteration takes the time of another one than the first");
    }
    testing::check(second && third, "all others are drawn");
  }
  const Series one{.ps = {10}, .before = 0, .per_iteration = 1, .recorded = 1, .wanted = 50, .seed = 0};
  testing::check_equal(place_in(one, 49), 0U, "of one iteration, all take its time");
}

}  // namespace

int main() {
  ping_pong();
  pipeline(1, 2, eager);
  pipeline(100, 5, eager);
  pipeline(100000, 5, {.latency = 1000, .overhead = 10, .busy = 300});
  withdrawn();
  incast(32, 20);
  early_messages();
  free_running();
  node_port();
  shared_link();
  long_route();
  knee();
  in_place();
  overlap();
  deadlocks();
  first_iteration();
  return testing::result();
}
