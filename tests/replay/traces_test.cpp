// The calls of one iteration of a replay: hand-computed, and that they change nothing of it.

#include <string>
#include <vector>

#include "../native/check.hpp"
#include "builder.hpp"
#include "replay/replay.hpp"

namespace {

using namespace leadline::test;

constexpr Way way{.latency = 1000, .overhead = 100, .busy = 0};
constexpr uint64_t steps = 1000;

void note(Builder* b, uint32_t rank, uint32_t call, bool begins) {
  Action a;
  a.kind = Action::Kind::note;
  a.at = call;
  a.first = begins;
  b->add(rank, {a});
}

void mark_end(Builder* b, uint32_t rank) {
  Action a;
  a.kind = Action::Kind::mark;
  a.at = 1;
  b->add(rank, {a});
}

// In each step rank 0 computes 5,000 ps and sends; rank 1 computes 1,000 ps, receives and computes 300 ps; then it
// sends back, which rank 0 receives.
Program two_ranks(bool traced, uint64_t after) {
  Builder b(2);
  for (const uint32_t rank : {0U, 1U}) {
    b.loop(rank, steps);
    b.compute(rank, rank ? 1000 : 5000);
    for (const bool first : {true, false}) {
      const bool sends = (rank == 0) == first;
      const uint32_t call = first ? 2 : 3;
      if (!first && rank) b.compute(rank, 300);
      if (traced) note(&b, rank, call, true);
      sends ? b.blocking_send(rank, 1 - rank, way) : b.blocking_receive(rank, 1 - rank, way);
      if (traced) note(&b, rank, call, false);
    }
    b.end(rank);
    mark_end(&b, rank);
    b.compute(rank, 77);
  }
  b.program.marks = 2;
  if (traced) b.program.traced = {{3, after}, {3, after}};
  return b.program;
}

void check_call(const TracedCall& found, const TracedCall& wanted, const std::string& what) {
  testing::check_equal(found.call, wanted.call, what + ": call");
  testing::check_equal(found.begin_ps, wanted.begin_ps, what + ": begin");
  testing::check_equal(found.end_ps, wanted.end_ps, what + ": end");
  testing::check_equal(found.waited_ps, wanted.waited_ps, what + ": waited");
}

// A step takes 5,000 + 100 + 1,000 + 100 + 300 + 100 + 1,000 + 100 ps.
void one_iteration(uint64_t steps_after, bool skip) {
  constexpr int64_t step = 7700;
  const Outcome plain = replay(two_ranks(false, 0), {.skip = skip});
  const Outcome outcome = replay(two_ranks(true, 2 * steps_after), {.skip = skip});
  testing::check(outcome.end_ps == plain.end_ps, "traced: the same end");
  testing::check(outcome.mark_ps == plain.mark_ps, "traced: the same marks");
  testing::check_equal(outcome.messages, plain.messages, "traced: messages");
  const int64_t begin = step * static_cast<int64_t>(steps - 1 - steps_after);
  const std::string after = ", " + std::to_string(steps_after) + " steps before the last one";
  testing::check_equal(outcome.traces.size(), size_t{2}, "traced ranks");
  for (const std::vector<TracedCall>& calls : outcome.traces) testing::check_equal(calls.size(), size_t{3}, "calls");
  testing::check_equal(outcome.traces[0][0].end_ps, begin, "the call before, rank 0" + after);
  check_call(outcome.traces[0][1], {2, begin + 5000, begin + 5100, 0}, "the send" + after);
  // Rank 1 has the message at 6,200 and sends at 6,500.
  check_call(outcome.traces[0][2], {3, begin + 5100, begin + 7700, 2500}, "the receive of rank 0" + after);
  // It began the step when it had sent, 1,100 ps before rank 0.
  check_call(outcome.traces[1][1], {2, begin - 100, begin + 6200, 6200}, "the receive of rank 1" + after);
  check_call(outcome.traces[1][2], {3, begin + 6500, begin + 6600, 0}, "the send of rank 1" + after);
}

}  // namespace

int main() {
  for (const bool skip : {true, false}) {
    for (const uint64_t after : {0U, 1U, 7U}) one_iteration(after, skip);
  }
  return testing::result();
}
